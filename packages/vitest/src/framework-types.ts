import type { Reporter } from 'vitest/node'

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
