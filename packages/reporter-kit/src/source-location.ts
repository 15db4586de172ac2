import { fileURLToPath } from 'node:url'

/** Line and column are counted from 1. */
export interface SourceLocation {
  file: string
  line: number
  column: number
}

const FRAME = /^ *at (?:async )?(.+)$/
const LOCATION = /^((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).+?):(\d+)(?::(\d+))?$/

/** The locations of a stack, innermost first; frames without a file, such as Node's own, are left out. */
export function listSourceLocations(stack: string): SourceLocation[] {
  return stack.split('\n').flatMap(parseFrame)
}

/** A frame is `at <call> (<location>)` or `at <location>`. */
function parseFrame(line: string): SourceLocation[] {
  const frame = FRAME.exec(line)?.[1] ?? ''
  const callEnd = frame.endsWith(')') ? frame.indexOf(' (') : -1
  const match = LOCATION.exec(callEnd < 0 ? frame : frame.slice(callEnd + 2, -1))
  if (match === null) return []
  const [, file = '', lineNumber, column = 1] = match
  const path = toPath(file)
  return path === undefined ? [] : [{ file: path, line: Number(lineNumber), column: Number(column) }]
}

function toPath(file: string): string | undefined {
  if (!file.startsWith('file://')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return undefined
  }
}
