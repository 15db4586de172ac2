import { CREATE_RUN_PATH } from '@runledger/protocol'
import { parsePatterns } from '@runledger/redact'
import * as z from 'zod'
import { parseJson } from '../util/text'
import type { Options } from './options'

export const TextSchema = z.string().trim().min(1)

const FunctionSchema = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function')

function orFunction(schema: z.ZodType): z.ZodType {
  return z.union([schema, FunctionSchema])
}

// Paths are appended to it: a query or fragment would swallow them.
export const HttpUrlSchema = TextSchema.regex(/^https?:\/\/[^?#]*$/i).refine((text) => URL.canParse(text))

// Only paths: an address of another origin would take the key with it.
export const PathSchema = TextSchema.regex(/^\/(?!\/)/)

const ShardSchema = TextSchema.regex(/^[1-9]\d{0,5}\/[1-9]\d{0,5}$/)

export const SerialNumbersSchema = z.array(TextSchema)

export const UnitSchema = z.object({
  serialNumber: TextSchema,
  partNumber: TextSchema.optional(),
  revision: TextSchema.optional(),
  batchNumber: TextSchema.optional(),
})

export const UNIT_FIELDS = ['serialNumber', 'partNumber', 'revision', 'batchNumber'] as const

const VariablesSchema = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))

const RedactSchema = z.array(z.union([z.instanceof(RegExp), TextSchema])).refine(canBeRead)

function canBeRead(items: readonly (string | RegExp)[]): boolean {
  try {
    parsePatterns(items)
    return true
  } catch {
    return false
  }
}

/** `RUNLEDGER_API_KEY` for `apiKey`; undefined for the unit, whose fields have variables of their own. */
export function nameVariable(option: string): string | undefined {
  if (option === 'unitUnderTest') return undefined
  return `RUNLEDGER_${option.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
}

export function nameOption(option: string): string {
  const variable = nameVariable(option)
  return variable === undefined ? `option ${option}` : `option ${option} (${variable})`
}

export interface OptionDefinition {
  parseText: (text: string) => unknown
  schema: z.ZodType
  expected: string
  fallback?: unknown
}

const asText = (text: string): unknown => text
const FlagSchema = z.stringbool({ truthy: ['1', 'true', 'yes', 'on'], falsy: ['0', 'false', 'no', 'off'] })

const parseJsonOrText = (text: string): unknown => parseJson(text) ?? text

function parseList(text: string): unknown {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
}

const text = (expected: string, schema: z.ZodType = TextSchema) => ({ parseText: asText, schema, expected })
const flag = (fallback: boolean) => ({
  parseText: (given: string) => FlagSchema.safeParse(given).data ?? given,
  schema: z.boolean(),
  expected: 'use true or false',
  fallback,
})
const MOST = Number.MAX_SAFE_INTEGER
const integer = (fallback: number, min: number, max = MOST) => ({
  parseText: (given: string) => (/^\d+$/.test(given) ? Number(given) : given),
  schema: z.int().min(min).max(max),
  expected: `use a whole number, ${min} ${max === MOST ? 'or more' : `to ${max}`}`,
  fallback,
})

// The longest delay of a timer, 24 days.
const MAX_TIMER_MS = 2 ** 31 - 1

/** `Required` makes the compiler reject a table that lacks an option. */
export const OPTION_TABLE = {
  url: text('use an address such as http://127.0.0.1:7357', HttpUrlSchema),
  apiKey: text('use the key that the service showed', TextSchema.regex(/^[\x21-\x7e]+$/)),
  procedureId: text("use a procedure's identifier, such as FVT1, or a function", orFunction(TextSchema)),
  unitUnderTest: {
    parseText: asText,
    schema: orFunction(UnitSchema),
    expected:
      'use {serialNumber, partNumber, revision, batchNumber}, all but the first optional, or a function',
  },
  subUnits: {
    parseText: parseList,
    schema: orFunction(SerialNumbersSchema),
    expected: 'use a list of serial numbers or a function',
    fallback: [],
  },
  reportVariables: {
    parseText: parseJsonOrText,
    schema: VariablesSchema,
    expected: 'use an object of texts, such as {"line": "3"}',
    fallback: {},
  },
  runPer: {
    ...text("use 'suite', 'project' or 'execution'", z.enum(['suite', 'project', 'execution'])),
    fallback: 'suite',
  },
  group: text('use a text that is not empty'),
  shard: text('use the number of the shard and how many there are, such as 2/5', ShardSchema),
  defaultBranch: text('use the name of a branch, such as main'),
  logs: flag(true),
  attachments: flag(true),
  maxAttachmentBytes: integer(100 * 1024 * 1024, 0),
  deadlineMs: integer(60_000, 1, MAX_TIMER_MS),
  requestTimeoutMs: integer(15_000, 1, MAX_TIMER_MS),
  maxRetries: integer(4, 0),
  concurrency: integer(32, 1),
  spoolDir: text('use the path of a folder'),
  failOnUploadError: flag(false),
  quarantine: flag(false),
  caFile: text('use the path of a PEM file'),
  clientCertFile: text('use the path of a PEM file'),
  clientKeyFile: text('use the path of a PEM file'),
  redact: {
    parseText: (given) => (given.startsWith('[') ? parseJsonOrText(given) : parseList(given)),
    schema: RedactSchema,
    expected: 'use a list of texts and patterns, such as ["cookie", "/session=\\w+/"]',
    fallback: [],
  },
  summary: flag(true),
  annotations: flag(false),
  outputFile: text('use the path of a file'),
  linksFile: text('use the path of a file'),
  createPath: { ...text('use a path that begins with one /', PathSchema), fallback: CREATE_RUN_PATH },
  updatePath: {
    ...text('use a path that begins with one / and holds {id}', PathSchema.regex(/\{id\}/)),
    fallback: '/v2/runs/{id}',
  },
  disabled: flag(false),
} satisfies { [Name in keyof Required<Options>]: OptionDefinition }
