/** What Node's test runner hands to a reporter, as far as it is read here. Node 20 leaves many of these fields out. */
export interface NodeEvent {
  type: string
  data?: EventData | undefined
}

export interface EventData {
  /** Of a test its own name; of a test file its path, from Node 22 on as it was given on the command line. */
  name?: string
  nesting?: number
  /** Where a test is declared. In the events of output it may be relative. */
  file?: string
  line?: number
  column?: number
  /** The test file that ran: from Node 24 on. */
  entryFile?: string
  /** Unique within a test file: from Node 24 on. */
  testId?: number
  /**
   * Among the tests around it. Outermost tests are counted by the process that runs them when they complete, and through all
   * files when they are reported.
   */
  testNumber?: number
  /** The reason, or true. */
  skip?: string | boolean
  todo?: string | boolean
  tags?: string[]
  details?: EventDetails
  /** Of output and diagnostics. */
  message?: string
  /** Of a summary: from Node 22 on. */
  success?: boolean
}

export interface EventDetails {
  duration_ms?: number
  /** `suite` for a `describe`. */
  type?: string
  /** Of `test:complete`. */
  passed?: boolean
  error?: unknown
  /** With `--test-rerun-failures`, counted from 0: this execution, and the one in which the test passed. */
  attempt?: number
  passed_on_attempt?: number
}

/** What Node wraps around what a test threw. */
export interface NodeFailure {
  failureType?: string
  cause?: unknown
  message?: string
  /** How the process of a test file ended. */
  exitCode?: number | null
  signal?: string | null
}

/** True when `skip` or `todo` is set, with a reason or without: whatever such a test does, Node does not count it as failed. */
export function isMarked(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false
}
