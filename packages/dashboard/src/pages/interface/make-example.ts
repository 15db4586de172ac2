import type { JsonSchema } from '@runledger/protocol'
import { resolveSchema, withoutNull, type Components } from './describe-type'

const MAX_DEPTH = 6

/** The smallest example of a schema: its required fields, each by its example, first choice or name. */
export function makeExample(schema: JsonSchema, components: Components): unknown {
  return makeValue(schema, components, { name: 'text', depth: 0 })
}

interface Place {
  /** Of the field that the value is for. */
  name: string
  depth: number
}

function makeValue(schema: JsonSchema, components: Components, { name, depth }: Place): unknown {
  const whole = resolveSchema(withoutNull(schema).schema, components)
  const example = whole.examples?.[0] ?? whole.default ?? whole.const ?? whole.enum?.[0]
  if (example !== undefined) return example
  const [member] = whole.anyOf ?? []
  if (member) return makeValue(member, components, { name, depth: depth + 1 })
  if (whole.type === 'array') return []
  if (whole.type !== 'object') return String(whole.type) in SIMPLE ? SIMPLE[String(whole.type)] : name
  const fields = depth > MAX_DEPTH ? [] : Object.entries(whole.properties ?? {})
  const required = fields.filter(([field]) => whole.required?.includes(field))
  return Object.fromEntries(
    required.map(([field, inner]) => [
      field,
      makeValue(inner, components, { name: field, depth: depth + 1 }),
    ]),
  )
}

const SIMPLE: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1.5, null: null }
