/** The end of an execution, as its framework reports it. The decision on quarantined failures needs it, because a record may lack a failure. */
export interface FrameworkEnd {
  /** Whether the framework fails the execution. */
  hasFailed: boolean
  /** The framework's own count of failed tests. */
  failedTests: number
  /** A clause for each reason beside failed tests why it fails, or may fail, the execution: `a file could not be loaded`. */
  otherReasons: readonly string[]
  /** The reporter can make the execution pass itself, without `runledger run -- COMMAND`. */
  decides?: true | undefined
}
