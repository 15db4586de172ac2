/** Prints one line to stderr, stdout being other reporters' (`--reporter=json`); never throws. */
export function printLine(text: string): void {
  try {
    process.stderr.write(`Runledger: ${text.replace(/\s+/g, ' ').trim()}\n`)
  } catch {
    // A closed stderr is no reason to disturb the tests.
  }
}
