import { isAbsolute, relative, sep } from 'node:path'
import type { OutputEntry } from '@runledger/core'
import { addOutput } from '@runledger/core/link'
import type { JestConsoleEntry } from './jest-types'

// The methods that Node's own console writes to stderr; Jest tells `trace` as `error`.
const STDERR_METHODS = new Set(['error', 'warn', 'assert'])
const FRAME = /^ *at (?:async )?(.+)$/
const LOCATION = /^(.+:\d+):\d+$/

/** Maps a file's console calls; Jest does not tell which test made them, so they belong to the suite. */
export function mapOutput(
  entries: readonly JestConsoleEntry[] | null | undefined,
  rootDir: string,
): OutputEntry[] {
  const output: OutputEntry[] = []
  for (const { message, origin, type } of entries ?? []) {
    const stream = STDERR_METHODS.has(type) ? 'stderr' : 'stdout'
    addOutput(output, { stream, text: message, origin: findOrigin(origin, rootDir) })
  }
  return output
}

/** The place of a stack's first frame in a file; above it are frames of Node's own console. */
function findOrigin(stack: string, rootDir: string): string | undefined {
  const place = stack.split('\n').map(findPlace).find(isAbsolute)
  const location = LOCATION.exec(place ?? '')?.[1]
  return location === undefined ? undefined : relativePath(rootDir, location)
}

/** A frame is `at <call> (<place>)` or `at <place>`. */
function findPlace(line: string): string {
  const frame = FRAME.exec(line)?.[1] ?? ''
  const callEnd = frame.endsWith(')') ? frame.indexOf(' (') : -1
  return callEnd < 0 ? frame : frame.slice(callEnd + 2, -1)
}

/** A file's path from the project root with `/` separators, as records name files on every system. */
export function relativePath(rootDir: string, path: string): string {
  return relative(rootDir, path).split(sep).join('/')
}
