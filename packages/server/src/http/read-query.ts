const NESTED_KEY = /^([^[\]]+)\[(.+?)\](?:\[([^[\]]+)\])?$/s
const LIST_KEY = /\[\]$/

/**
 * A query as the schemas take it. An empty value is absent: some clients send `cursor=` when they have none. A key in
 * brackets is one of an object: `metadata[group][in]=a` is `{metadata: {group: {in: 'a'}}}`. Some clients write `ids[]`
 * for a list's key.
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

// Not by assignment: a client may name a field `__proto__`.
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
