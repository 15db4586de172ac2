import {
  formatText,
  readAttemptCount,
  readFields,
  readLength,
  readList,
  readObjects,
  readText,
  readTime,
} from '@runledger/reporter-kit'
import type {
  TestAnnotation,
  TestArtifact,
  TestAttempt,
  TestCase,
  TestModule,
  TestSuite,
} from './framework-types'

// A custom runner may have filled Vitest's tasks: unusable values count as absent.

export interface ReadResult {
  state: string
  errors: readonly unknown[]
  note: string | undefined
}

export function readResult(testCase: TestCase): ReadResult {
  const { state, errors, note } = readFields(testCase.result())
  return { state: formatText(state), errors: readList(errors), note: readText(note) }
}

export interface ReadDiagnostic {
  startedAtMs: number | undefined
  durationMs: number
  retryCount: number
  flaky: boolean
}

/** Undefined for a test that did not start. */
export function readDiagnostic(testCase: TestCase): ReadDiagnostic | undefined {
  const handed = testCase.diagnostic()
  if (!handed) return undefined
  const { startTime, duration, retryCount, flaky } = readFields(handed)
  return {
    startedAtMs: readTime(startTime),
    durationMs: readLength(duration) ?? 0,
    retryCount: readAttemptCount(retryCount),
    flaky: flaky === true,
  }
}

export interface ReadAttempt {
  state: string
  startedAtMs: number | undefined
  durationMs: number | undefined
  errors: readonly unknown[]
}

export function readAttempts(testCase: TestCase): ReadAttempt[] {
  const { attempts } = testCase as { attempts?: () => readonly TestAttempt[] }
  return readList(attempts?.call(testCase)).map((attempt) => {
    const { state, startTime, duration, errors } = readFields(attempt)
    return {
      state: formatText(state),
      startedAtMs: readTime(startTime),
      durationMs: readLength(duration),
      errors: readList(errors),
    }
  })
}

export function isRepeated({ options }: TestCase): boolean {
  return Number(readFields(options)['repeats']) > 0
}

/** The delay before each retry, in milliseconds; since Vitest 4.1. */
export function readRetryDelay({ options }: TestCase): number {
  return readLength(readFields(readFields(options)['retry'])['delay']) ?? 0
}

/** Each with its own object; empty before Vitest 3.2. */
export function readAnnotations(testCase: TestCase): readonly TestAnnotation[] {
  const { annotations } = testCase as Partial<Pick<TestCase, 'annotations'>>
  return readObjects(annotations?.call(testCase)) as unknown as TestAnnotation[]
}

/** Each with its own object; empty before Vitest 4. */
export function readArtifacts(testCase: TestCase): readonly TestArtifact[] {
  const { artifacts } = testCase as Partial<Pick<TestCase, 'artifacts'>>
  return readObjects(artifacts?.call(testCase)) as unknown as TestArtifact[]
}

/** Undefined without `includeTaskLocation`. */
export function readLocation(testCase: TestCase): { line: number; column?: number } | undefined {
  const { line, column } = readFields((testCase as Partial<TestCase>).location)
  if (!isPosition(line)) return undefined
  return isPosition(column) ? { line, column } : { line }
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** Includes tags of outer blocks; empty before Vitest 4.1. */
export function readTags(testCase: TestCase): string[] {
  return readList((testCase as { tags?: unknown }).tags).filter(
    (tag): tag is string => typeof tag === 'string' && tag !== '',
  )
}

/** The annotation `owner`. Other types of annotations are not tags, but a weight such as `warning`. */
export function readOwner(testCase: TestCase): string | undefined {
  const owner = readAnnotations(testCase).find(({ type }) => type === 'owner')
  return readText(owner?.message)?.trim() || undefined
}

export function readMeta(entity: TestCase | TestModule): Record<string, unknown> {
  return readFields(entity.meta())
}

export function readErrors(suite: TestModule | TestSuite): readonly unknown[] {
  return readList(suite.errors())
}

/** Empty if the stack cannot be read. */
export type StackParser = (stack: string) => unknown[]

/**
 * Reads a browser's stacks, which name transformed code. Vitest applies it only to the errors of tests, and Vitest 3 not
 * at all. Undefined if tests run in Node.
 */
export function readStackParser(entity: TestCase | TestModule | TestSuite): StackParser | undefined {
  const { browser } = (entity.project ?? {}) as { browser?: { parseStacktrace?: StackParser } }
  if (typeof browser?.parseStacktrace !== 'function') return undefined
  return (stack) => {
    try {
      return readList(browser.parseStacktrace?.(stack))
    } catch {
      return []
    }
  }
}

type HookState = 'run' | 'pass' | 'fail'

interface InternalResult {
  pending?: boolean
  /** A hook that threw stays `run`. */
  hooks?: Partial<Record<string, HookState>>
}

/** Vitest's JSON reporter reads the same field. */
export function readInternalResult(entity: object): InternalResult {
  return readFields((entity as { task?: { result?: unknown } }).task?.result)
}

/** True if the snapshot file has unused snapshots. */
export function hasObsoleteSnapshots({ project, moduleId }: TestModule): boolean {
  const { vitest } = project as { vitest?: { snapshot?: { summary?: SnapshotSummary } } }
  return (
    vitest?.snapshot?.summary?.uncheckedKeysByFile?.some(({ filePath }) => filePath === moduleId) === true
  )
}

interface SnapshotSummary {
  uncheckedKeysByFile?: readonly { filePath: string }[]
}
