/** What `go test` prints around what a test says. */
const AROUND = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\s|--- (?:FAIL|SKIP|PASS): |FAIL\t)/

const FROM_GO = /^(?:=== RUN {3}|FAIL\t)/m

/**
 * What a Go test said of its failure, of the whole output of `go test` that a converter such as gotestsum puts into
 * `<failure>`: the panic, else from its first line with a place on, else all. Empty for what is not such output.
 */
export function readGoFailure(output: string): string {
  if (!FROM_GO.test(output)) return ''
  const said = readGoOutput(output)
  const panic = /^panic: [^]*?(?=\n\s*\ngoroutine \d)/m.exec(said)
  const place = said.search(/^[^\s:]+\.go:\d+: /m)
  return panic?.[0] ?? said.slice(Math.max(0, place))
}

/** The output without Go's own lines around it. */
export function readGoOutput(output: string): string {
  const lines = output.split('\n').filter((line) => !AROUND.test(line))
  return lines
    .map((line) => line.replace(/^ {4}/, ''))
    .join('\n')
    .trim()
}
