/** A command that cannot be done as it was asked, or that the service refused. The message says it all, in one line. */
export class CommandError extends Error {
  override name = 'CommandError'
}
