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

// Vitest's entities answer from tasks that a custom runner may have filled: what cannot be used counts as absent.

/** A test's result: its state, errors and note. */
export interface ReadResult {
  state: string
  errors: readonly unknown[]
  /** Why the test was skipped. */
  note: string | undefined
}

export function readResult(testCase: TestCase): ReadResult {
  const { state, errors, note } = readFields(testCase.result())
  return { state: formatText(state), errors: readList(errors), note: readText(note) }
}

/** A test's times, in milliseconds, and retries. */
export interface ReadDiagnostic {
  /** Since the Unix epoch. */
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

/** One attempt of a test, as Vitest 5 lists it. */
export interface ReadAttempt {
  state: string
  startedAtMs: number | undefined
  durationMs: number | undefined
  errors: readonly unknown[]
}

/** Every attempt of a test; empty before Vitest 5. */
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

/** True for a test with the option `repeats`, which runs several times even when it passes. */
export function isRepeated({ options }: TestCase): boolean {
  return Number(readFields(options)['repeats']) > 0
}

/** How long Vitest waits before each retry of a test, in milliseconds; an option since Vitest 4.1. */
export function readRetryDelay({ options }: TestCase): number {
  return readLength(readFields(readFields(options)['retry'])['delay']) ?? 0
}

/** What was recorded with `ctx.annotate`, each with its own object; empty before Vitest 3.2. */
export function readAnnotations(testCase: TestCase): readonly TestAnnotation[] {
  const { annotations } = testCase as Partial<Pick<TestCase, 'annotations'>>
  return readObjects(annotations?.call(testCase)) as unknown as TestAnnotation[]
}

/** What was recorded with `recordArtifact`, each with its own object; empty before Vitest 4. */
export function readArtifacts(testCase: TestCase): readonly TestArtifact[] {
  const { artifacts } = testCase as Partial<Pick<TestCase, 'artifacts'>>
  return readObjects(artifacts?.call(testCase)) as unknown as TestArtifact[]
}

/** Where a test is declared; undefined without Vitest's option `includeTaskLocation`. */
export function readLocation(testCase: TestCase): { line: number; column?: number } | undefined {
  const { line, column } = readFields((testCase as Partial<TestCase>).location)
  if (!isPosition(line)) return undefined
  return isPosition(column) ? { line, column } : { line }
}

function isPosition(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** The tags of a test and of what it is in; empty before Vitest 4.1. */
export function readTags(testCase: TestCase): string[] {
  return readList((testCase as { tags?: unknown }).tags).filter(
    (tag): tag is string => typeof tag === 'string' && tag !== '',
  )
}

/** The message of the annotation `owner`. Types of annotations are no tags: they tell a remark's weight, as `warning`. */
export function readOwner(testCase: TestCase): string | undefined {
  const owner = readAnnotations(testCase).find(({ type }) => type === 'owner')
  return readText(owner?.message)?.trim() || undefined
}

/** What user code and Vitest itself noted on a task. */
export function readMeta(entity: TestCase | TestModule): Record<string, unknown> {
  return readFields(entity.meta())
}

export function readErrors(suite: TestModule | TestSuite): readonly unknown[] {
  return readList(suite.errors())
}

/** Reads the frames of a stack; empty where it cannot. */
export type StackParser = (stack: string) => unknown[]

/**
 * What Vitest reads a browser's stacks with, which name addresses of transformed code. It does so by itself only for the
 * errors of tests, not for their causes, and not at all in Vitest 3. Undefined where tests run in Node.
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

/** Fields of a task's result without a public method; any may be absent. */
interface InternalResult {
  /** Set on a test that skipped itself with `ctx.skip()`. */
  pending?: boolean
  /** A hook that threw stays `run`. */
  hooks?: Partial<Record<string, HookState>>
}

/** Reads the internal result of a test or suite; Vitest's own JSON reporter reads the same field. */
export function readInternalResult(entity: object): InternalResult {
  return readFields((entity as { task?: { result?: unknown } }).task?.result)
}

/** True when the module's snapshot file has snapshots that no test uses. */
export function hasObsoleteSnapshots({ project, moduleId }: TestModule): boolean {
  const { vitest } = project as { vitest?: { snapshot?: { summary?: SnapshotSummary } } }
  return (
    vitest?.snapshot?.summary?.uncheckedKeysByFile?.some(({ filePath }) => filePath === moduleId) === true
  )
}

interface SnapshotSummary {
  uncheckedKeysByFile?: readonly { filePath: string }[]
}
