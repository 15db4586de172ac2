import type { Reporter } from 'vitest/node'

export type { TestCase, TestModule, TestSuite } from 'vitest/node'

// Vitest exports these types under names that differ between its versions; its hooks do not.
export type UserConsoleLog = Parameters<NonNullable<Reporter['onUserConsoleLog']>>[0]
export type TestAnnotation = Parameters<NonNullable<Reporter['onTestCaseAnnotate']>>[1]
export type TestAttachment = NonNullable<TestAnnotation['attachment']>

/** What a test gave to `recordArtifact`, since Vitest 4; the types of Vitest 3 do not have it. */
export interface TestArtifact {
  readonly type: string
  readonly attachments?: readonly TestAttachment[]
}

/** One attempt of a test, as Vitest 5 lists it. */
export interface TestAttempt {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly errors: readonly unknown[] | undefined
  readonly duration: number
  readonly startTime: number
  readonly retryIndex: number
  readonly repeatIndex: number
}
