/** What `go test` prints around what a test says. */
const AROUND = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\s|--- (?:FAIL|SKIP|PASS): |FAIL\t)/
const FROM_GO = /^(?:=== RUN {3}|FAIL\t)/m

/**
 * What a Go test said, where a converter such as gotestsum put the whole output of `go test` into `<failure>` or `<skipped>`;
 * undefined for any other text.
 */
export function readGoOutput(text: string): string | undefined {
  if (!FROM_GO.test(text)) return undefined
  const lines = text.split('\n').filter((line) => !AROUND.test(line))
  return lines
    .map((line) => line.replace(/^ {4}/, ''))
    .join('\n')
    .trim()
}
