import { CREATE_RUN_PATH } from '@runledger/protocol'
import * as z from 'zod'
import { parseJson } from '../util/text'
import type { Options } from './options'

/** Trimmed, and not empty. */
export const TextSchema = z.string().trim().min(1)

const FunctionSchema = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function')

function orFunction(schema: z.ZodType): z.ZodType {
  return z.union([schema, FunctionSchema])
}

// Paths are appended to it: a query or a fragment would swallow them.
export const HttpUrlSchema = TextSchema.regex(/^https?:\/\/[^?#]*$/i).refine((text) => URL.canParse(text))

// An address that leaves the service's origin would take the key along: paths only.
const PathSchema = TextSchema.regex(/^\/(?!\/)/)

export const SerialNumbersSchema = z.array(TextSchema)

export const UnitSchema = z.object({
  serialNumber: TextSchema,
  partNumber: TextSchema.optional(),
  revision: TextSchema.optional(),
})

const VariablesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

/** Texts, and patterns that can be read. */
const RedactSchema = z.array(z.union([z.instanceof(RegExp), TextSchema])).refine(canBeRead)

function canBeRead(items: readonly (string | RegExp)[]): boolean {
  try {
    parsePatterns(items)
    return true
  } catch {
    return false
  }
}

/** What the option `redact` holds: texts, and patterns. */
export interface UserPatterns {
  texts: string[]
  patterns: RegExp[]
}

const WRITTEN_PATTERN = /^\/(.+)\/([a-z]*)$/s

/** Sorts what the user wrote; `/…/i` in a text is a pattern. @throws SyntaxError for a pattern that cannot be read */
export function parsePatterns(given: readonly (string | RegExp)[]): UserPatterns {
  const all = given.map((each) => (typeof each === 'string' ? readPattern(each) : each))
  return {
    texts: all.filter((each) => typeof each === 'string'),
    patterns: all.filter((each) => each instanceof RegExp).map(toSearchAll),
  }
}

function readPattern(text: string): string | RegExp {
  const [, source, flags] = WRITTEN_PATTERN.exec(text) ?? []
  return source === undefined ? text : new RegExp(source, flags)
}

function toSearchAll({ source, flags }: RegExp): RegExp {
  return new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
}

/** Everything there is to know about an option: its variable, how the variable's text is read, what is legal. */
export interface OptionDefinition {
  /** Absent for the unit, which has three variables of its own. */
  variable?: string
  parseText: (text: string) => unknown
  schema: z.ZodType
  /** The fix that a refusal ends with. */
  expected: string
  fallback?: unknown
}

const asText = (text: string): unknown => text
const TRUE_WORDS = ['1', 'true', 'yes', 'on']
const FALSE_WORDS = ['0', 'false', 'no', 'off']

function parseBoolean(text: string): unknown {
  const word = text.trim().toLowerCase()
  if (TRUE_WORDS.includes(word)) return true
  return FALSE_WORDS.includes(word) ? false : text
}

function parseNumber(text: string): unknown {
  return /^\s*\d+\s*$/.test(text) ? Number(text) : text
}

const parseJsonOrText = (text: string): unknown => parseJson(text) ?? text

function parseList(text: string): unknown {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

const text = (expected: string, schema: z.ZodType = TextSchema) => ({ parseText: asText, schema, expected })
const flag = (fallback: boolean) => ({
  parseText: parseBoolean,
  schema: z.boolean(),
  expected: 'use true or false',
  fallback,
})
const MOST = Number.MAX_SAFE_INTEGER
const integer = (fallback: number, min: number, max = MOST) => ({
  parseText: parseNumber,
  schema: z.int().min(min).max(max),
  expected: `use a whole number, ${min} ${max === MOST ? 'or more' : `to ${max}`}`,
  fallback,
})

// The longest that a timer takes, 24 days.
const MAX_TIMER_MS = 2 ** 31 - 1

/** Every option; `Required` makes the compiler refuse a table that forgets one. */
export const OPTION_TABLE = {
  url: {
    variable: 'RUNLEDGER_URL',
    ...text('use an address such as http://127.0.0.1:7357', HttpUrlSchema),
  },
  apiKey: {
    variable: 'RUNLEDGER_API_KEY',
    ...text('use the key that the service showed', TextSchema.regex(/^[\x21-\x7e]+$/)),
  },
  procedureId: {
    variable: 'RUNLEDGER_PROCEDURE_ID',
    ...text("use a procedure's identifier, such as FVT1, or a function", orFunction(TextSchema)),
  },
  unitUnderTest: {
    parseText: asText,
    schema: orFunction(UnitSchema),
    expected: 'use {serialNumber, partNumber, revision}, the last two optional, or a function',
  },
  subUnits: {
    variable: 'RUNLEDGER_SUB_UNITS',
    parseText: parseList,
    schema: orFunction(SerialNumbersSchema),
    expected: 'use a list of serial numbers or a function',
    fallback: [],
  },
  reportVariables: {
    variable: 'RUNLEDGER_REPORT_VARIABLES',
    parseText: parseJsonOrText,
    schema: VariablesSchema,
    expected: 'use an object of texts, such as {"line": "3"}',
    fallback: {},
  },
  runPer: {
    variable: 'RUNLEDGER_RUN_PER',
    ...text("use 'suite', 'project' or 'execution'", z.enum(['suite', 'project', 'execution'])),
    fallback: 'suite',
  },
  group: { variable: 'RUNLEDGER_GROUP', ...text('use a text that is not empty') },
  logs: { variable: 'RUNLEDGER_LOGS', ...flag(true) },
  attachments: { variable: 'RUNLEDGER_ATTACHMENTS', ...flag(true) },
  maxAttachmentBytes: { variable: 'RUNLEDGER_MAX_ATTACHMENT_BYTES', ...integer(100 * 1024 * 1024, 0) },
  deadlineMs: { variable: 'RUNLEDGER_DEADLINE_MS', ...integer(60_000, 1, MAX_TIMER_MS) },
  requestTimeoutMs: { variable: 'RUNLEDGER_REQUEST_TIMEOUT_MS', ...integer(15_000, 1, MAX_TIMER_MS) },
  maxRetries: { variable: 'RUNLEDGER_MAX_RETRIES', ...integer(4, 0) },
  concurrency: { variable: 'RUNLEDGER_CONCURRENCY', ...integer(8, 1) },
  spoolDir: { variable: 'RUNLEDGER_SPOOL_DIR', ...text('use the path of a folder') },
  failOnUploadError: { variable: 'RUNLEDGER_FAIL_ON_UPLOAD_ERROR', ...flag(false) },
  caFile: { variable: 'RUNLEDGER_CA_FILE', ...text('use the path of a PEM file') },
  clientCertFile: { variable: 'RUNLEDGER_CLIENT_CERT_FILE', ...text('use the path of a PEM file') },
  clientKeyFile: { variable: 'RUNLEDGER_CLIENT_KEY_FILE', ...text('use the path of a PEM file') },
  redact: {
    variable: 'RUNLEDGER_REDACT',
    parseText: (given) => (given.startsWith('[') ? parseJsonOrText(given) : parseList(given)),
    schema: RedactSchema,
    expected: 'use a list of texts and patterns, such as ["cookie", "/session=\\w+/"]',
    fallback: [],
  },
  summary: { variable: 'RUNLEDGER_SUMMARY', ...flag(true) },
  annotations: { variable: 'RUNLEDGER_ANNOTATIONS', ...flag(false) },
  outputFile: { variable: 'RUNLEDGER_OUTPUT_FILE', ...text('use the path of a file') },
  linksFile: { variable: 'RUNLEDGER_LINKS_FILE', ...text('use the path of a file') },
  createPath: {
    variable: 'RUNLEDGER_CREATE_PATH',
    ...text('use a path that begins with one /', PathSchema),
    fallback: CREATE_RUN_PATH,
  },
  updatePath: {
    variable: 'RUNLEDGER_UPDATE_PATH',
    ...text('use a path that begins with one / and holds {id}', PathSchema.regex(/\{id\}/)),
    fallback: '/v2/runs/{id}',
  },
  disabled: { variable: 'RUNLEDGER_DISABLED', ...flag(false) },
} satisfies { [Name in keyof Required<Options>]: OptionDefinition }

export const UNIT_VARIABLES = {
  serialNumber: 'RUNLEDGER_SERIAL_NUMBER',
  partNumber: 'RUNLEDGER_PART_NUMBER',
  revision: 'RUNLEDGER_REVISION',
} as const
