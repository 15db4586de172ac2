/** A command cannot be done as asked, or the service refused it. The message is one line that says everything. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** A command line that makes no sense. */
export class UsageError extends CommandError {
  override name = 'UsageError'
}

/** A command was not done, or only in part. The user has been told. */
export class ReportedError extends Error {
  override name = 'ReportedError'
}

/** Ends the command with the exit code of the program that it ran, after printing `message`, if there is one. */
export class ExitError extends Error {
  override name = 'ExitError'

  constructor(
    readonly exitCode: number,
    message = '',
  ) {
    super(message)
  }
}
