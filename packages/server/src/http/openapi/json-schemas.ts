import * as protocol from '@runledger/protocol'
import { type JsonSchema, type Operation, type OperationName, OPERATIONS } from '@runledger/protocol'
import * as z from 'zod'

const COMPONENTS = '#/components/schemas/'

export interface JsonSchemas {
  /** A reference to a component. */
  refer(schema: z.ZodType): JsonSchema
  /** References only within itself. */
  read(schema: z.ZodType): JsonSchema
  /** Components that were referred to, also by other components. */
  listComponents(): Record<string, JsonSchema>
}

/** Component names follow protocol's: `RunDetailSchema` is `RunDetail`. Schemas describe their input, which is what is sent. */
export function createJsonSchemas(): JsonSchemas {
  const registry = nameSchemas()
  const made = z.toJSONSchema(registry, {
    io: 'input',
    uri: (id) => COMPONENTS + id,
    unrepresentable: 'any',
    override: ({ jsonSchema }) => tidy(jsonSchema),
  }).schemas as Record<string, JsonSchema>
  const referred = new Set<string>()
  const nameOf = (schema: z.ZodType) => {
    const name = registry.get(schema)?.id
    if (name === undefined) throw new TypeError('The schema belongs to no operation.')
    return name
  }
  const bodyOf = (name: string): JsonSchema => {
    const { $schema: _dialect, $id: _address, ...rest } = made[name] ?? {}
    return rest
  }
  return {
    refer: (schema) => {
      referred.add(nameOf(schema))
      return { $ref: COMPONENTS + nameOf(schema) }
    },
    read: (schema) => {
      const body = bodyOf(nameOf(schema))
      for (const name of listReferences(body)) referred.add(name)
      return body
    },
    listComponents: () => {
      const names = [...referred]
      for (const name of names)
        names.push(...listReferences(bodyOf(name)).filter((one) => !names.includes(one)))
      return Object.fromEntries(names.sort().map((name) => [name, bodyOf(name)]))
    },
  }
}

/** Objects, enumerations and bodies become components; texts and numbers are described in place. */
function nameSchemas(): z.core.$ZodRegistry<{ id: string }> {
  const registry = z.registry<{ id: string }>()
  for (const [name, schema] of Object.entries(protocol)) {
    if (!(schema instanceof z.ZodType) || registry.has(schema)) continue
    if (['object', 'enum'].includes(schema.def.type))
      registry.add(schema, { id: name.replace(/Schema$/, '') })
  }
  for (const name of Object.keys(OPERATIONS) as OperationName[]) {
    const { params, query, body, response }: Operation = OPERATIONS[name]
    const own = name.charAt(0).toUpperCase() + name.slice(1)
    for (const [part, schema] of Object.entries({
      Params: params,
      Query: query,
      Request: body,
      Response: response,
    })) {
      if (schema && !registry.has(schema)) registry.add(schema, { id: own + part })
    }
  }
  return registry
}

function listReferences(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner.slice(COMPONENTS.length)] : listReferences(inner),
  )
}

function tidy(schema: z.core.JSONSchema.BaseSchema): void {
  const described = schema['describedAs'] as JsonSchema | undefined
  if (described) {
    for (const key of Object.keys(schema)) if (key !== 'description') Reflect.deleteProperty(schema, key)
    Object.assign(schema, described)
  }
  // A value of any type needs no schema.
  if (isEmpty(schema.additionalProperties)) delete schema.additionalProperties
  if (isEmpty(schema.items)) delete schema.items
  // The bounds of JavaScript's whole numbers say nothing about a field.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

function isEmpty(schema: unknown): boolean {
  return typeof schema === 'object' && schema !== null && Object.keys(schema).length === 0
}
