/** What a framework says at its end. The decision on quarantined failures needs it, because a record may lack what failed. */
export interface FrameworkEnd {
  /** It fails the execution. */
  hasFailed: boolean
  /** Tests that failed, as it counts them. */
  failedTests: number
  /** A clause for each reason beside failed tests why it fails, or may fail, the execution: `a file could not be loaded`. */
  otherReasons: readonly string[]
  /** The reporter can make the execution pass itself, without `runledger run -- COMMAND`. */
  decides?: true | undefined
}
