import type { ErrorDetail, SourceLocation } from '@runledger/core'
import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { listSourceLocations } from './source-location'
import { toRelativePath } from './suite-fields'

/** The innermost place of a stack in the project's code, with the code around it. */
export function findOwnPlace(stack: string, rootDir: string): Pick<ErrorDetail, 'location' | 'snippet'> {
  const place = listSourceLocations(stack).find(({ file }) => isOwnFile(file, rootDir))
  if (place === undefined) return {}
  const snippet = readSnippet(place)
  const location = { ...place, file: toRelativePath(rootDir, place.file) }
  return { location, ...(snippet !== undefined && { snippet }) }
}

/** Undefined outside of the project's own code. */
export function toOwnLocation(place: SourceLocation, rootDir: string): SourceLocation | undefined {
  return isOwnFile(place.file, rootDir) ? { ...place, file: toRelativePath(rootDir, place.file) } : undefined
}

function isOwnFile(file: string, rootDir: string): boolean {
  const relative = path.relative(rootDir, file)
  return (
    !relative.startsWith('..') && !path.isAbsolute(relative) && !/(^|[\\/])node_modules[\\/]/.test(relative)
  )
}

const LINES_ABOVE = 3
const LINES_BELOW = 2
/** Longer lines are not readable code, and cutting them might leave half a secret. */
const MAX_LINE_LENGTH = 1_000
const MAX_FILE_BYTES = 1024 * 1024

/** A code frame as Babel and Playwright write it; undefined if the file cannot be read. */
export function readSnippet({ file, line = 0, column = 1 }: SourceLocation): string | undefined {
  const lines = readLines(file)
  if (lines[line - 1] === undefined) return undefined
  const first = Math.max(1, line - LINES_ABOVE)
  const last = Math.min(lines.length, line + LINES_BELOW)
  const width = String(last).length
  const shown = lines.slice(first - 1, last)
  if (shown.some(({ length }) => length > MAX_LINE_LENGTH)) return undefined
  return shown
    .flatMap((text, index) => {
      const number = first + index
      const row = `${number === line ? '>' : ' '} ${String(number).padStart(width)} | ${text}`.trimEnd()
      return number === line
        ? [row, `${' '.repeat(width + 3)}| ${' '.repeat(Math.max(0, column - 1))}^`]
        : [row]
    })
    .join('\n')
}

/** Recently read files: errors and steps of a few files come together. */
const latest = new Map<string, string[]>()
const MAX_LATEST = 8

function readLines(file: string): string[] {
  const known = latest.get(file)
  if (known) return known
  let lines: string[] = []
  try {
    const found = statSync(file)
    if (found.isFile() && found.size <= MAX_FILE_BYTES) lines = readFileSync(file, 'utf8').split(/\r?\n/)
  } catch {
    // A transformed, deleted or unreadable file has no snippet.
  }
  const [oldest] = latest.keys()
  if (oldest !== undefined && latest.size >= MAX_LATEST) latest.delete(oldest)
  latest.set(file, lines)
  return lines
}
