/** What `go test` prints around what a test says. */
const AROUND = /^\s*(?:=== (?:RUN|PAUSE|CONT|NAME)\s|--- (?:FAIL|SKIP|PASS): |FAIL\t)/

/** Where a test says something: its file and line, `bulb_test.go:7: dark`. */
const PLACE = /^[^\s:]+\.go:\d+: /
const FROM_GO = /^(?:=== RUN {3}|FAIL\t|[ \t]*[^\s:]+\.go:\d+: |panic: |fatal error: )/m

/**
 * What a Go test said of its failure, of the output of `go test` that a converter such as gotestsum puts into `<failure>`: the
 * panic, which ends a test, else from the first line with a place on, else all. Empty for what is not such output.
 */
export function readGoFailure(output: string): string {
  if (!FROM_GO.test(output)) return ''
  const lines = readGoOutput(output).split('\n')
  const traceAt = lines.findIndex((line) => /^goroutine \d+ \[/.test(line))
  const panicAt = lines.findLastIndex(
    (line, index) => index < traceAt && /^(?:panic|fatal error): /.test(line),
  )
  const isLast = lines.findLastIndex((line) => PLACE.test(line)) < traceAt
  if (panicAt !== -1 && isLast) return lines.slice(panicAt, traceAt).join('\n').trim()
  const placeAt = lines.findIndex((line) => PLACE.test(line))
  return lines.slice(Math.max(0, placeAt)).join('\n').trim()
}

/** The output without Go's own lines around it. */
export function readGoOutput(output: string): string {
  const lines = output.split('\n').filter((line) => !AROUND.test(line))
  return lines
    .map((line) => line.replace(/^ {4}/, ''))
    .join('\n')
    .trim()
}
