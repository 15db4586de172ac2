import { fileURLToPath } from 'node:url'

/** The file's whole path, line and column counted from 1. */
export interface FrameLocation {
  file: string
  line: number
  column: number
}

const FRAME = /^ *at (?:async )?(.+)$/
const LOCATION = /^((?:file:\/\/)?(?:\/|[A-Za-z]:[\\/]).+?):(\d+)(?::(\d+))?$/

/** Innermost first; frames without a file are omitted. */
export function listSourceLocations(stack: string): FrameLocation[] {
  return stack.split('\n').flatMap(parseFrame)
}

/** `at <call> (<location>)` or `at <location>`. */
function parseFrame(line: string): FrameLocation[] {
  const frame = FRAME.exec(line)?.[1] ?? ''
  const callEnd = frame.endsWith(')') ? frame.indexOf(' (') : -1
  const match = LOCATION.exec(callEnd < 0 ? frame : frame.slice(callEnd + 2, -1))
  if (match === null) return []
  const [, file = '', lineNumber, column = 1] = match
  const found = toPath(file)
  const isPlace = Number.isSafeInteger(Number(lineNumber)) && Number.isSafeInteger(Number(column))
  return found === undefined || !isPlace
    ? []
    : [{ file: found, line: Number(lineNumber), column: Number(column) }]
}

function toPath(file: string): string | undefined {
  if (!file.startsWith('file://')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return undefined
  }
}
