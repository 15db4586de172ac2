import type { Reporter } from 'vitest/node'

export type { TestCase, TestModule, TestSuite } from 'vitest/node'

// The names of these types differ between Vitest's versions; the hooks do not.
export type UserConsoleLog = Parameters<NonNullable<Reporter['onUserConsoleLog']>>[0]
export type TestAnnotation = Parameters<NonNullable<Reporter['onTestCaseAnnotate']>>[1]
export type TestAttachment = NonNullable<TestAnnotation['attachment']>

/** The argument of `recordArtifact`, since Vitest 4. */
export interface TestArtifact {
  readonly type: string
  readonly attachments?: readonly TestAttachment[]
}

export interface TestAttempt {
  readonly state: 'passed' | 'failed' | 'skipped'
  readonly errors: readonly unknown[] | undefined
  readonly duration: number
  readonly startTime: number
  readonly retryIndex: number
  readonly repeatIndex: number
}
