/** Writes one line to stderr: stdout belongs to the framework (`jest --json`). Never throws. */
export function tellUser(message: string): void {
  try {
    process.stderr.write(`Runledger: ${message.replace(/\s+/g, ' ').trim()}\n`)
  } catch {
    // A closed stderr is no reason to disturb the tests.
  }
}

/** The message of whatever was thrown. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
