/** Where the service tells what went wrong. Messages hold no keys and no query strings of signed addresses. */
export interface Log {
  error(message: string, cause?: unknown): void
}

/** Writes errors to stderr, one entry each with its stack. */
export const stderrLog: Log = {
  error(message, cause) {
    const detail = cause instanceof Error ? `\n${cause.stack ?? cause.message}` : ''
    process.stderr.write(`${new Date().toISOString()} ${message}${detail}\n`)
  },
}
