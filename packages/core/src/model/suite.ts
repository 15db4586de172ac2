import type { ErrorDetail, SourceLocation } from './error-detail'
import type { TestApiEvent } from './test-api-event'

/**
 * The framework-neutral account of what ran. Reporters map to it and decide nothing else. Times are in milliseconds:
 * `…AtMs` since the Unix epoch on the real clock, `…Ms` a length. All of it is plain data.
 */

/** One test file in one project. It becomes one run, unless nothing in it ran and nothing went wrong. */
export interface Suite {
  /** The project's name; empty when it has none. */
  project: string
  /** Path relative to the project root, with `/` separators. */
  file: string
  startedAtMs: number
  durationMs: number
  /** The framework's own verdict for this suite: never derived from the tests alone. */
  outcome: 'passed' | 'failed'
  tests: SuiteTest[]
  /** Errors that the framework attributes to no test; each becomes a failing step. */
  problems: Problem[]
  output: OutputEntry[]
  attachments: Attachment[]
  /** The number of secrets that core masked in it; reporters omit it. */
  masked?: number | undefined
  /** Test API events outside of any test. */
  events?: TestApiEvent[] | undefined
  /** A UUID for its run; by default a new one. */
  submissionId?: string | undefined
}

/**
 * - `passed`, `failed`: it ran; the final verdict over all attempts, expected failures already turned.
 * - `skipped`, `todo`: it was marked not to run.
 * - `not-run`: it should have run, but did not (a hook failed before it, bail, interruption).
 */
export type TestOutcome = 'passed' | 'failed' | 'skipped' | 'todo' | 'not-run'

export interface SuiteTest {
  /** Describe titles, outermost first, then the test's own title. */
  titles: string[]
  outcome: TestOutcome
  /** It failed, then passed on a later attempt. */
  flaky: boolean
  /** Start of the first attempt. */
  startedAtMs: number
  /** The sum of its attempts' durations, without the waits between them. */
  durationMs: number
  /** One for each try, in order; empty for a test that did not run. */
  attempts: Attempt[]
  /** Why it did not run, or another remark of the framework, for the log. */
  note?: string | undefined
  location?: SourceLocation | undefined
  /** Tags and types of annotations, as the framework writes them. */
  tags?: string[] | undefined
  /** Those that have a description. */
  annotations?: Annotation[] | undefined
  /** Its owner by an annotation; CODEOWNERS is the fallback. */
  owner?: string | undefined
  /** Why it was skipped, in the words of its author or the framework. */
  skipReason?: string | undefined
}

export interface Annotation {
  type: string
  description: string
}

export interface Attempt {
  /** The framework's word for this attempt (`passed`, `failed`, `timedOut`, …). */
  status: string
  startedAtMs?: number | undefined
  durationMs?: number | undefined
  /** The framework's number of its worker. */
  worker?: number | undefined
  errors: ErrorDetail[]
  attachments: Attachment[]
  output: OutputEntry[]
  events?: TestApiEvent[] | undefined
  /** A hook, a fixture or the file failed, not the test itself. */
  failsOutside?: true | undefined
  /** It failed only because a test inside of it did. */
  failsByInner?: true | undefined
}

/** An error of the suite or the execution, named after what failed: `Suite failed to load`, `afterAll hook`, … */
export interface Problem {
  name: string
  errors: ErrorDetail[]
  atMs?: number | undefined
  /** A hook failed; absent, the suite itself or the execution. */
  kind?: 'hook' | undefined
}

export interface OutputEntry {
  stream: 'stdout' | 'stderr'
  text: string
  atMs?: number | undefined
  /** Where it was written, if the framework knows. */
  origin?: string | undefined
}

/** Named bytes: a file on disk that stays until the end of the execution, or bytes in memory. */
export type Attachment = FileAttachment | BytesAttachment

interface NamedAttachment {
  /** An extension is added from the path or media type if it has none. */
  name: string
  /** Derived from the name if absent. */
  contentType?: string | undefined
}

export interface FileAttachment extends NamedAttachment {
  path: string
}

export interface BytesAttachment extends NamedAttachment {
  bytes: Uint8Array
}

/** Only a test that ran to a verdict is a step of its run. */
export function hasRun(outcome: string): outcome is 'passed' | 'failed' {
  return outcome === 'passed' || outcome === 'failed'
}

/** How long a test ran, over all of its attempts; an unknown duration counts as 0. */
export function sumDurations(attempts: readonly Pick<Attempt, 'durationMs'>[]): number {
  return attempts.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
}

export function listAttachments(suites: readonly Suite[]): Attachment[] {
  return suites.flatMap(({ attachments, tests }) => [
    ...attachments,
    ...tests.flatMap((test) => test.attempts.flatMap((attempt) => attempt.attachments)),
  ])
}

export function nameFramework({ framework, frameworkVersion }: ExecutionFacts): string {
  return frameworkVersion === undefined ? framework : `${framework} ${frameworkVersion}`
}

/** What a reporter knows when the execution begins. */
export interface ExecutionFacts {
  /** `jest`, `node:test`, …; for imported results, the tool that wrote them. */
  framework: string
  /** Undefined where it is not known. */
  frameworkVersion: string | undefined
  /** File paths are relative to it; credentials and package.json are searched for from it upward. */
  rootDir: string
  startedAtMs: number
  /** `1/3` for one shard of several. */
  shard?: string | undefined
  /** The results come from a file: the tests did not run in this process. */
  isImported?: true | undefined
}
