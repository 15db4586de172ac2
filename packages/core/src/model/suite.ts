import type { ErrorDetail, SourceLocation } from './error-detail'
import type { TestApiEvent } from './test-api-event'

/**
 * The framework-neutral account of what ran. Reporters map their framework's objects to these records and
 * decide nothing else; core makes runs of them. Every time is in milliseconds: `…AtMs` since the Unix epoch on
 * the real clock, `…Ms` a length. All of it is plain data.
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
  /** In the framework's order, those that did not run included. */
  tests: SuiteTest[]
  /** Errors that the framework attributes to no test; each becomes a failing step. */
  problems: Problem[]
  /** Console output that belongs to no test. */
  output: OutputEntry[]
  /** Files that belong to the suite as a whole. */
  attachments: Attachment[]
  /** How many secrets core has masked in it; reporters leave it out. */
  masked?: number | undefined
  /** Test API events outside of any test: in the file itself or in a beforeAll hook. */
  events?: TestApiEvent[] | undefined
  /** A UUID for its run, the same however often the suite is put on record; by default a new one. */
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
  /** The sum of its attempts' durations: the waits between them, in which other tests may run, are no part of it. */
  durationMs: number
  /** One for each try, in order; empty for a test that did not run. */
  attempts: Attempt[]
  /** Why it did not run, or another remark of the framework's, for the log. */
  note?: string | undefined
  /** Where it is declared. */
  location?: SourceLocation | undefined
  /** Tags and types of annotations, as the framework writes them. */
  tags?: string[] | undefined
  /** Those that have a description. */
  annotations?: Annotation[] | undefined
  /** Who answers for it, by an annotation; without one, CODEOWNERS says. */
  owner?: string | undefined
  /** Why it was marked not to run, in the words of its author or the framework. */
  skipReason?: string | undefined
}

export interface Annotation {
  type: string
  description: string
}

export interface Attempt {
  /** What this try by itself came to, in the framework's word for it (`passed`, `failed`, `timedOut`, …). */
  status: string
  startedAtMs?: number | undefined
  durationMs?: number | undefined
  /** The framework's number of its worker. */
  worker?: number | undefined
  errors: ErrorDetail[]
  attachments: Attachment[]
  output: OutputEntry[]
  /** Test API events of this attempt and its hooks, in call order. */
  events?: TestApiEvent[] | undefined
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
  /** Where it was written, when the framework knows. */
  origin?: string | undefined
}

/** Named bytes: a file on disk that stays until the end of the execution, or bytes in memory. */
export type Attachment = FileAttachment | BytesAttachment

interface NamedAttachment {
  /** Display name; an extension is added from the path or the media type when it has none. */
  name: string
  /** Media type; worked out from the name when absent. */
  contentType?: string | undefined
}

export interface FileAttachment extends NamedAttachment {
  path: string
}

export interface BytesAttachment extends NamedAttachment {
  bytes: Uint8Array
}

/** True for a test that ran to a verdict: only such a test is a step of its run. */
export function hasRun(outcome: string): outcome is 'passed' | 'failed' {
  return outcome === 'passed' || outcome === 'failed'
}

/** How long a test ran, over all of its attempts; an unknown duration counts as 0. */
export function sumDurations(attempts: readonly Pick<Attempt, 'durationMs'>[]): number {
  return attempts.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
}

/** Every attachment of some suites, of their tests and attempts too. */
export function listAttachments(suites: readonly Suite[]): Attachment[] {
  return suites.flatMap(({ attachments, tests }) => [
    ...attachments,
    ...tests.flatMap((test) => test.attempts.flatMap((attempt) => attempt.attachments)),
  ])
}

/** The framework with its version, where that is known. */
export function nameFramework({ framework, frameworkVersion }: ExecutionFacts): string {
  return frameworkVersion === undefined ? framework : `${framework} ${frameworkVersion}`
}

/** What a reporter tells about itself and its framework when the execution begins. */
export interface ExecutionFacts {
  /** Its name in the record: `jest`, `node:test`, …; of imported results whichever tool wrote them. */
  framework: string
  /** Undefined where it is not known. */
  frameworkVersion: string | undefined
  /** Root of the project: file paths are relative to it, credentials and package.json are looked for from it upward. */
  rootDir: string
  startedAtMs: number
  /** `1/3`, when the execution is one shard of several. */
  shard?: string | undefined
  /** The results were read from a file: the tests did not run in this process. */
  isImported?: true | undefined
}
