/** A place in a file, as Playwright names places. */
export interface Location {
  file: string
  line: number
  column: number
}

const FRAME = /^ *at (?:async )?(.+)$/
const PLACE = /^((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).+):(\d+):(\d+)$/

/** The first place of a stack that is in a file. */
export function readCaller(stack: string | undefined): Location | undefined {
  return (stack ?? '').split('\n').flatMap(readPlace)[0]
}

/** A frame is `at <call> (<place>)` or `at <place>`. */
function readPlace(line: string): Location[] {
  const frame = FRAME.exec(line)?.[1] ?? ''
  const callEnd = frame.endsWith(')') ? frame.indexOf(' (') : -1
  const match = PLACE.exec(callEnd < 0 ? frame : frame.slice(callEnd + 2, -1))
  if (match === null) return []
  const [, file = '', lineNumber, column] = match
  return [{ file: readPath(file), line: Number(lineNumber), column: Number(column) }]
}

function readPath(file: string): string {
  return file.startsWith('file://') ? decodeURIComponent(file.slice('file://'.length)) : file
}
