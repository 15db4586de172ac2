import { RE2JS } from 're2js'

/** The named groups of the organisation's pattern. */
interface ParsedSerialNumber {
  part_number?: string
  revision_number?: string
  batch_number?: string
}

const GROUPS = ['part_number', 'revision_number', 'batch_number'] as const

// Matching time grows with instructions × characters: with at most 255 characters, some 20 ms at worst.
const MAX_INSTRUCTIONS = 1000

/** A phrase that begins with "must"; undefined for a good pattern. No RE2 pattern can stall the service. */
export function describePatternProblem(pattern: string): string | undefined {
  const compiled = compile(pattern)
  if (typeof compiled === 'string') return `must be a regular expression of RE2 (${compiled})`
  if (compiled.programSize() > MAX_INSTRUCTIONS)
    return 'must be simpler: use smaller counts of repetition, such as {1,40}'
  if (GROUPS.some((name) => name in compiled.namedGroups())) return undefined
  return `must have one of the named groups ${GROUPS.map((name) => `(?P<${name}>…)`).join(', ')}`
}

/** The pattern may match anywhere unless it has `^` and `$`. Groups that matched nothing are left out. */
export function parseSerialNumber(pattern: string, serialNumber: string): ParsedSerialNumber {
  const compiled = compileCached(pattern)
  const matcher = compiled?.matcher(serialNumber)
  if (!compiled || !matcher?.find()) return {}
  const groups = compiled.namedGroups()
  return Object.fromEntries(
    GROUPS.filter((name) => name in groups)
      .map((name) => [name, matcher.group(name)?.trim()] as const)
      .filter(([, value]) => value),
  )
}

// An organisation has one pattern, and every new unit asks for it.
let lastCompiled: { pattern: string; compiled: RE2JS | undefined } | undefined

function compileCached(pattern: string): RE2JS | undefined {
  if (lastCompiled?.pattern !== pattern) {
    const compiled = describePatternProblem(pattern) === undefined ? compile(pattern) : undefined
    lastCompiled = { pattern, compiled: typeof compiled === 'string' ? undefined : compiled }
  }
  return lastCompiled.compiled
}

/** Returns the compiler's message for a bad pattern. */
function compile(pattern: string): RE2JS | string {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
