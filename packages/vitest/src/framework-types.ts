import type { Reporter, TestCase, TestModule } from 'vitest/node'

export type { TestCase, TestModule, TestSuite } from 'vitest/node'

// Vitest exports these types under names that differ between its versions; its hooks do not.
export type UserConsoleLog = Parameters<NonNullable<Reporter['onUserConsoleLog']>>[0]
export type TestAnnotation = Parameters<NonNullable<Reporter['onTestCaseAnnotate']>>[1]
export type TestArtifact = Parameters<NonNullable<Reporter['onTestCaseArtifactRecord']>>[1]
export type TestAttachment = NonNullable<TestAnnotation['attachment']>

/** One attempt of a test, as Vitest 5 lists it. */
export interface TestAttempt {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly errors: readonly unknown[] | undefined
  readonly duration: number
  readonly startTime: number
  readonly retryIndex: number
  readonly repeatIndex: number
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
  return (entity as { task?: { result?: InternalResult } }).task?.result ?? {}
}

/** Every attempt of a test with its times and errors; undefined before Vitest 5. */
export function readAttempts(testCase: TestCase): readonly TestAttempt[] | undefined {
  return (testCase as { attempts?: () => readonly TestAttempt[] }).attempts?.()
}

/** True for a test with the option `repeats`, which runs several times even when it passes. */
export function isRepeated({ options }: TestCase): boolean {
  return (options.repeats ?? 0) > 0
}

/** Everything recorded with `recordArtifact`; empty before Vitest 4. */
export function readArtifacts(testCase: TestCase): readonly TestArtifact[] {
  return (testCase as Partial<Pick<TestCase, 'artifacts'>>).artifacts?.() ?? []
}

/** Everything recorded with `ctx.annotate`; empty before Vitest 3.2. */
export function readAnnotations(testCase: TestCase): readonly TestAnnotation[] {
  return (testCase as Partial<Pick<TestCase, 'annotations'>>).annotations?.() ?? []
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
