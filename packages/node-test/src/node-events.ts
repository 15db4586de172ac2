/** Events of Node's test runner, as far as we read them. Node 20 omits many of these fields. */
export interface NodeEvent {
  type: string
  data?: EventData | undefined
}

export interface EventData {
  /** A test file's name is its path, since Node 22 as given on the command line. */
  name?: string
  nesting?: number
  /** The declaration's file. In events of output it may be relative. */
  file?: string
  line?: number
  column?: number
  /** The test file that ran: since Node 24. */
  entryFile?: string
  /** Unique within a test file: since Node 24. */
  testId?: number
  /** Outermost tests are counted by their process when they complete, and through all files when they are reported. */
  testNumber?: number
  skip?: string | boolean
  todo?: string | boolean
  tags?: string[]
  details?: EventDetails
  message?: string
  success?: boolean
}

export interface EventDetails {
  duration_ms?: number
  /** `suite` for a `describe`. */
  type?: string
  passed?: boolean
  error?: unknown
  /** With `--test-rerun-failures`, from 0: this execution, and the one in which the test passed. */
  attempt?: number
  passed_on_attempt?: number
}

/** Node's wrapper of a thrown value. */
export interface NodeFailure {
  failureType?: string
  cause?: unknown
  message?: string
  exitCode?: number | null
  signal?: string | null
}

/** True with or without a reason: Node never fails such a test. */
export function isMarked(mark: string | boolean | undefined): boolean {
  return mark !== undefined && mark !== false
}
