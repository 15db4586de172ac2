/** A command that cannot be done as it was asked, or that the service refused. The message says it all, in one line. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** A command line that makes no sense. */
export class UsageError extends CommandError {
  override name = 'UsageError'
}

/** A command that was not done, or not wholly. The user has been told. */
export class ReportedError extends Error {
  override name = 'ReportedError'
}
