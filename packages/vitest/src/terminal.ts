/** Prints one line to stderr, stdout being other reporters' (`--reporter=json`). */
export function printLine(text: string): void {
  process.stderr.write(`Runledger: ${text}\n`)
}
