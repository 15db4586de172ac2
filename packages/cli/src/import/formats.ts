import { readCtrf } from './ctrf'
import { readJestJson } from './jest-json'
import { readJUnit } from './junit'
import { readPlaywrightJson } from './playwright-json'
import { type ReadContext, ResultFileError, type Results } from './results'

/** Formats of results, each with what tells it from the others. JSON is parsed once, for all of them. */
const JSON_FORMATS = {
  ctrf: { isIts: has('results'), read: readCtrf },
  playwright: { isIts: has('suites', 'config'), read: readPlaywrightJson },
  // Vitest writes what Jest writes.
  jest: { isIts: has('testResults'), read: readJestJson },
  vitest: { isIts: has('testResults'), read: readJestJson },
}

const NAMES = Object.keys(JSON_FORMATS) as (keyof typeof JSON_FORMATS)[]

/** Formats that the service reads itself: their runs say more than a suite can. */
const UPLOADED = ['openhtf', 'wats', 'wsxf', 'teststand', 'atml', 'stdf', 'atdf', 'csv'] as const
export type UploadedFormat = (typeof UPLOADED)[number]

export const FORMATS = ['junit', ...NAMES, ...UPLOADED] as const
export type Format = (typeof FORMATS)[number]

/** Formats that are read as suites. */
export type TextFormat = Exclude<Format, UploadedFormat>

/** Reads results in the format that is given, or that the content shows. @throws ResultFileError */
export function readResults(text: string, given: TextFormat | undefined, context: ReadContext): Results {
  const start = /\S/.exec(text)?.[0]
  if (start === undefined) throw new ResultFileError('it is empty')
  if (given === 'junit' || (given === undefined && start === '<')) return readJUnit(text, context)
  if (given === undefined && start !== '{')
    throw new ResultFileError(`it is neither XML nor a JSON object, so not of ${FORMATS.join(', ')}`)
  const json = parseObject(text)
  const format = given ?? NAMES.find((name) => JSON_FORMATS[name].isIts(json))
  if (format === undefined || !JSON_FORMATS[format].isIts(json)) {
    const members = Object.keys(json).slice(0, 5).join(', ')
    throw new ResultFileError(
      `its members (${members || 'none'}) are not those of ${given ?? FORMATS.slice(1).join(', ')}`,
    )
  }
  return JSON_FORMATS[format].read(json, context)
}

function has(...members: string[]) {
  return (json: object): boolean => members.every((name) => Object.hasOwn(json, name))
}

function parseObject(text: string): object {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    // Node quotes the text around the place, which may be long or hold a secret.
    const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0] ?? 'at its end'
    throw new ResultFileError(`it is not valid JSON: it breaks off or is wrong ${place}`)
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed
  throw new ResultFileError('it is JSON, but not an object')
}
