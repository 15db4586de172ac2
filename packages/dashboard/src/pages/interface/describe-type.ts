import type { JsonSchema } from '@runledger/protocol'

export type Components = Readonly<Record<string, JsonSchema>>

/** The name that a reference has; undefined for a schema that is none. */
function referenceName({ $ref }: JsonSchema): string | undefined {
  return $ref?.split('/').at(-1)
}

/** The schema that a reference stands for, with what stands beside the reference; any other as it is. */
export function resolveSchema(schema: JsonSchema, components: Components): JsonSchema {
  const name = referenceName(schema)
  if (name === undefined) return schema
  const { $ref: _reference, ...beside } = schema
  return { ...components[name], ...beside }
}

/** A schema without null, and whether it allowed null. */
export function withoutNull(schema: JsonSchema): { schema: JsonSchema; takesNull: boolean } {
  const members = schema.anyOf ?? schema.oneOf
  if (members) {
    const others = members.filter(({ type }) => type !== 'null')
    const takesNull = others.length < members.length
    const { anyOf: _any, oneOf: _one, ...beside } = schema
    const [only] = others
    if (others.length === 1 && only) return { schema: { ...only, ...beside }, takesNull }
    return { schema: { ...beside, anyOf: others }, takesNull }
  }
  if (typeof schema.type !== 'object') return { schema, takesNull: false }
  const types = schema.type.filter((type) => type !== 'null')
  const takesNull = types.length < schema.type.length
  return { schema: { ...schema, type: types.length === 1 ? (types[0] as string) : types }, takesNull }
}

/** A type in words: `string, date-time`, `list of Phase`, `"PASS" | "FAIL"`, `map of string`. */
export function describeType(schema: JsonSchema, components: Components): string {
  const { schema: inner, takesNull } = withoutNull(schema)
  return describeInner(inner, components) + (takesNull ? ' or null' : '')
}

function describeInner(schema: JsonSchema, components: Components): string {
  const name = referenceName(schema)
  const whole = resolveSchema(schema, components)
  if (whole.const !== undefined) return JSON.stringify(whole.const)
  if (whole.enum) return whole.enum.map((value) => JSON.stringify(value)).join(' | ')
  if (name !== undefined) return name
  if (schema.anyOf) {
    const types = schema.anyOf.map((member) => describeType(member, components))
    return [...new Set(types)].join(' or ')
  }
  if (typeof schema.type === 'object') return schema.type.join(' or ')
  if (schema.type === 'array') {
    return schema.items ? `list of ${describeType(schema.items, components)}` : 'list of anything'
  }
  if (schema.type === 'object' && !schema.properties) {
    const values = schema.additionalProperties
    return typeof values === 'object' ? `map of ${describeType(values, components)}` : 'object'
  }
  return `${schema.type ?? 'anything'}${schema.format === undefined ? '' : `, ${schema.format}`}`
}

/** The limits of a value in words: `1 to 255 characters`, `at least 0`; undefined without useful ones. */
export function describeLimits(schema: JsonSchema): string | undefined {
  const { schema: inner } = withoutNull(schema)
  const limits = [
    describeRange(inner.minLength, inner.maxLength, ' characters'),
    describeRange(inner.minItems, inner.maxItems, ' entries'),
    describeRange(inner.minimum, inner.maximum, ''),
    inner.pattern === undefined ? undefined : `like ${inner.pattern}`,
    inner.default === undefined ? undefined : `default ${JSON.stringify(inner.default)}`,
  ]
  const told = limits.filter((limit) => limit !== undefined)
  return told.length === 0 ? undefined : told.join(' · ')
}

function describeRange(
  least: number | undefined,
  most: number | undefined,
  unit: string,
): string | undefined {
  if (least !== undefined && most !== undefined) return `${least} to ${most.toLocaleString('en')}${unit}`
  if (most !== undefined) return `at most ${most.toLocaleString('en')}${unit}`
  return least === undefined || (least === 1 && unit !== '') ? undefined : `at least ${least}${unit}`
}
