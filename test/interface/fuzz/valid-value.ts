import type { JsonSchema, OpenApiDocument } from '../../../packages/protocol/src/index'
import type { Random } from '../../support/random'
import type { Pool } from './pool'

const WORDS = [
  'alpha',
  'Beta',
  'gamma-7',
  'Ünit',
  '日本',
  '🙂',
  'a b',
  'x/y',
  'v1.2.3',
  '3.3',
  '-1',
  'true',
  '%41',
] as const
const TIMES = [
  '2026-11-20T09:30:00.000Z',
  '2026-11-20T09:30:00+01:00',
  '2026-11-20T10:30:00.123456-08:00',
  '2026-11-21T00:00:00Z',
  '2026-11-20T09:31:00Z',
  '2026-11-20T09:32:00Z',
  // As early and as late as a time can be.
  '1685-01-01T00:00:00Z',
  '2255-06-05T00:00:00Z',
] as const
// The last is as long as a duration can be.
const DURATIONS = ['PT0S', 'PT1.5S', 'PT27M15S', 'P1DT2H', 'P1W', 'PT1.500000S', 'PT9007199254S'] as const
const MAX_DEPTH = 8

export interface ValueScope {
  description: OpenApiDocument
  random: Random
  pool: Pool
  /** The path of the operation that the value is for. */
  path: string
  /** A procedure that always exists; no request names it in its path. */
  procedureId: string
}

/** A value that fits the schema, as far as the schema says what fits. */
export function generateValid(scope: ValueScope, schema: JsonSchema, field = '', depth = 0): unknown {
  const { random } = scope
  const whole = resolve(scope.description, schema)
  if (whole.const !== undefined) return whole.const
  if (whole.enum) return pick(random, whole.enum)
  const members = whole.anyOf ?? whole.oneOf
  if (members) {
    const fitting = depth > MAX_DEPTH ? members.filter(({ type }) => type === 'null') : members
    return generateValid(scope, pick(random, fitting.length > 0 ? fitting : members) ?? {}, field, depth)
  }
  const type = typeof whole.type === 'object' ? pick(random, whole.type) : whole.type
  if (type === 'string') return generateText(scope, whole, field)
  if (type === 'integer') return random.between(whole.minimum ?? 0, whole.maximum ?? 1000)
  if (type === 'number') return generateNumber(random, whole)
  if (type === 'boolean') return random.chance(0.5)
  if (type === 'null') return null
  if (type === 'array') return generateList(scope, whole, field, depth)
  if (type === 'object') return generateObject(scope, whole, depth)
  return pick(random, [1, 'any', true, null, [1, 2], { a: 1 }])
}

function resolve(description: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  if (name === undefined) return schema
  const { $ref: _reference, ...rest } = schema
  return { ...description.components.schemas[name], ...rest }
}

export function pick<Value>(random: Random, values: readonly Value[]): Value | undefined {
  return values[random.between(0, values.length - 1)]
}

function generateText(scope: ValueScope, schema: JsonSchema, field: string): string {
  const { random, pool, path } = scope
  if (field === 'procedure_id' && random.chance(0.6)) return scope.procedureId
  const known = random.chance(0.6) ? pool.pick(random, path, field) : undefined
  if (known !== undefined) return known
  if (schema.format === 'date-time') return random.pick(TIMES)
  if (schema.format === 'duration') return random.pick(DURATIONS)
  if (schema.format === 'email' || field === 'email') return `person-${random.between(0, 99)}@example.com`
  if (schema.examples && random.chance(0.5)) return String(pick(random, schema.examples))
  if (schema.pattern) return random.pick(['a', 'a-b', '12', '1.5', 'acme-lamps', 'abc123'])
  const text = `${random.pick(WORDS)}${random.chance(0.5) ? random.between(0, 9) : ''}`
  return text.padEnd(schema.minLength ?? 0, 'x').slice(0, schema.maxLength ?? 1000)
}

function generateNumber(random: Random, { minimum = -1000, maximum = 1000 }: JsonSchema): number {
  return random.chance(0.5) ? random.between(minimum, maximum) : minimum + random.next() * (maximum - minimum)
}

function generateList(scope: ValueScope, schema: JsonSchema, field: string, depth: number): unknown[] {
  const most = depth > MAX_DEPTH ? 0 : 3
  const count = Math.max(schema.minItems ?? 0, scope.random.between(0, most))
  return Array.from({ length: count }, () => generateValid(scope, schema.items ?? {}, field, depth + 1))
}

function generateObject(scope: ValueScope, schema: JsonSchema, depth: number): Record<string, unknown> {
  const { random } = scope
  const fields = Object.entries(schema.properties ?? {}).filter(
    ([name]) => schema.required?.includes(name) === true || random.chance(depth > MAX_DEPTH ? 0 : 0.4),
  )
  const made = fields.map(([name, inner]) => [name, generateValid(scope, inner, name, depth + 1)] as const)
  const values = schema.additionalProperties
  if (typeof values !== 'object') return Object.fromEntries(made)
  const others = Array.from({ length: random.between(0, 3) }, () => [
    random.pick(WORDS),
    generateValid(scope, values, '', depth + 1),
  ])
  return Object.fromEntries([...made, ...(others as [string, unknown][])])
}
