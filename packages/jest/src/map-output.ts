import type { OutputEntry } from '@runledger/core'
import { addOutput, listSourceLocations, toRelativePath } from '@runledger/reporter-kit'
import type { JestConsoleEntry } from './jest-types'

// Methods whose output goes to stderr; Jest reports `trace` as `error`.
const STDERR_METHODS = new Set(['error', 'warn', 'assert'])

/** Jest does not say which test made a call, so calls belong to the suite. */
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

/** The first frame in a file, below those of Node's console. */
function findOrigin(stack: string, rootDir: string): string | undefined {
  const [location] = listSourceLocations(stack)
  return location && `${toRelativePath(rootDir, location.file)}:${location.line}`
}
