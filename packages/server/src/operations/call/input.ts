import { type ErrorIssue, IDEMPOTENCY_KEY_HEADER, type PacedContext } from '@runledger/protocol'
import * as z from 'zod'
import * as core from 'zod/v4/core'
import { SteadyPace } from '../../base/clock'
import { failedValidation, MalformedError } from '../../base/errors'
import type { RequestHeaders } from './handler'

/** @throws HttpError BAD_REQUEST with one issue for each problem */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema | undefined,
  input: unknown,
): z.output<Schema> {
  // Without a schema, the output of the type parameter's default is undefined.
  if (!schema) return undefined as z.output<Schema>
  // `safeParse` formats every issue, and a hostile body has millions.
  const parsed = schema._zod.run({ value: input, issues: [] }, { async: false })
  if (parsed instanceof Promise) throw new TypeError('A schema of the interface must not be asynchronous.')
  return takeOutput(parsed, input)
}

/**
 * For a large body: other requests are answered meanwhile. The result has its lists last, the longest at the end, so do not rely
 * on the order of its names.
 */
export async function parseInTurns<Schema extends z.ZodType>(
  schema: Schema | undefined,
  body: unknown,
): Promise<z.output<Schema>> {
  if (!schema) return undefined as z.output<Schema>
  const context: PacedContext = { async: true, pace: new SteadyPace() }
  return takeOutput(await schema._zod.run({ value: body, issues: [] }, context), body)
}

function takeOutput<Output>({ value, issues }: core.ParsePayload, input: unknown): Output {
  if (issues.length === 0) return value as Output
  const found = issues.slice(0, MAX_ISSUES).map(finalizeIssue).flatMap(flattenUnion).slice(0, MAX_ISSUES)
  const mapped = found.map((issue) => mapIssue(issue, input))
  throw found.some((issue) => isMalformed(issue, input))
    ? new MalformedError(mapped)
    : failedValidation(mapped)
}

/** A field is missing or an id is malformed. */
function isMalformed(issue: Issue, input: unknown): boolean {
  if (issue.code === 'invalid_format' && issue.format === 'guid') return true
  return valueAt(input, issue.path) === undefined
}

function finalizeIssue(issue: core.$ZodRawIssue): core.$ZodIssue {
  return core.util.finalizeIssue(issue, undefined, z.config())
}

const NESTED_KEY = /^([^[\]]+)\[(.+?)\](?:\[([^[\]]+)\])?$/s
const LIST_KEY = /\[\]$/

/**
 * An empty value counts as absent: some clients send `cursor=`. `metadata[group][in]=a` becomes `{metadata: {group: {in: 'a'}}}`.
 * Some clients write `ids[]` for a list.
 */
export function readQuery(query: unknown): Record<string, unknown> {
  const flat: [string, unknown][] = []
  const nested = new Map<string, Map<string, unknown>>()
  for (const [key, sent] of Object.entries(query as Record<string, unknown>)) {
    const value = dropEmpty(sent)
    if (value === undefined) continue
    const [, name, field, operator] = NESTED_KEY.exec(key) ?? []
    if (name === undefined || field === undefined) flat.push([key.replace(LIST_KEY, ''), value])
    else addNested(nested, { name, field, operator, value })
  }
  const objects = [...nested].map(([name, fields]) => [name, toObject(fields)] as const)
  return Object.fromEntries([...objects, ...flat])
}

interface NestedValue {
  name: string
  field: string
  operator: string | undefined
  value: unknown
}

function addNested(
  nested: Map<string, Map<string, unknown>>,
  { name, field, operator, value }: NestedValue,
): void {
  const fields = nested.get(name) ?? new Map<string, unknown>()
  nested.set(name, fields)
  if (operator === undefined) return void fields.set(field, value)
  const known = fields.get(field)
  const operators = known instanceof Map ? (known as Map<string, unknown>) : new Map<string, unknown>()
  fields.set(field, operators.set(operator, value))
}

// Not by assignment: a client may send a field `__proto__`.
function toObject(fields: ReadonlyMap<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    [...fields].map(([key, value]) => [key, value instanceof Map ? toObject(value) : value]),
  )
}

function dropEmpty(value: unknown): unknown {
  if (!Array.isArray(value)) return value === '' ? undefined : value
  const given = (value as unknown[]).filter((one) => one !== '')
  return given.length > 0 ? given : undefined
}

type Issue = core.$ZodIssue

const MAX_ISSUES = 50
const MAX_SHOWN = 60

// The union's branch that got furthest describes the problem best.
function flattenUnion(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const branches = issue.errors.map((issues) =>
    issues.flatMap((inner) => flattenUnion(prefixPath(inner, issue.path))),
  )
  const depth = (issues: Issue[]) =>
    Math.max(0, ...issues.map(({ path, code }) => path.length + (code === 'invalid_type' ? 0 : 0.5)))
  const [best] = branches.sort((left, right) => depth(right) - depth(left))
  return best?.length ? best : [issue]
}

function prefixPath(issue: Issue, path: readonly PropertyKey[]): Issue {
  return { ...issue, path: [...path, ...issue.path] }
}

function mapIssue(issue: Issue, input: unknown): ErrorIssue {
  const path = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  const received = valueAt(input, path)
  if (received === undefined || received === null)
    return { path, message: `is required: send ${describeExpected(issue)}` }
  return { path, message: `${describeProblem(issue)}; received ${showValue(received)}` }
}

function describeProblem(issue: Issue): string {
  if (issue.code === 'custom') return issue.message
  if (issue.code === 'too_big') return `must be at most ${measure(issue.maximum, issue.origin)}`
  if (issue.code === 'too_small') return `must be at least ${measure(issue.minimum, issue.origin)}`
  if (issue.code === 'invalid_format') return issue.message
  return `must be ${describeExpected(issue)}`
}

function describeExpected(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return EXPECTED_WORDS[issue.expected] ?? `a value of type ${issue.expected}`
  if (issue.code === 'invalid_value')
    return `one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`
  return 'a valid value'
}

const EXPECTED_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}

function measure(number: number | bigint, origin: string): string {
  const isOne = Number(number) === 1
  if (origin === 'string') return `${number} ${isOne ? 'character' : 'characters'} long`
  return origin === 'array' ? `${number} ${isOne ? 'entry' : 'entries'} long` : String(number)
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Record<PropertyKey, unknown>)[part]
  }
  return value
}

function showValue(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : writeStart(value, MAX_SHOWN + 1)
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text
}

/** At least `length` characters if there are as many; the value may have millions, and be nested without end. */
function writeStart(value: unknown, length: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, Math.max(0, length)))
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? String(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  let text = open
  for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
    if (text.length >= length) break
    if (text !== open) text += ','
    if (typeof key === 'string') text += `${writeStart(key, length)}:`
    text += writeStart((value as Record<string | number, unknown>)[key], length - text.length)
  }
  return text + close
}

const IdempotencyKeySchema = z.string().min(1).max(255)

/** @throws HttpError BAD_REQUEST for an invalid key */
export function readIdempotencyKey(headers: RequestHeaders): string | undefined {
  const sent = headers[IDEMPOTENCY_KEY_HEADER]
  if (sent === undefined) return undefined
  const key = IdempotencyKeySchema.safeParse(sent)
  if (key.success) return key.data
  throw failedValidation([
    { path: [IDEMPOTENCY_KEY_HEADER], message: 'must be one header of 1 to 255 characters' },
  ])
}
