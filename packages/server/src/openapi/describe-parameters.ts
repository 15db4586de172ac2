import { type JsonSchema, listPathParams, type OpenApiParameter } from '@runledger/protocol'

/** The parameters of a path, each a text that is percent-encoded. */
export function describePathParameters(path: string): OpenApiParameter[] {
  return listPathParams(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1 },
  }))
}

/** One parameter for each field of a query's schema; a list is sent by repeating its key. */
export function describeQueryParameters({ properties = {}, required = [] }: JsonSchema): OpenApiParameter[] {
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = simplify(property)
    return {
      name,
      in: 'query',
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
    }
  })
}

export function describeHeaderParameters(headers: Readonly<Record<string, string>> = {}): OpenApiParameter[] {
  return Object.entries(headers).map(([name, description]) => ({
    name: capitalize(name),
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }))
}

// A query has no null, and one value of a list looks like the list of it.
function simplify(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = withoutNull(schema)
  if (!anyOf) return rest
  const members = anyOf.flatMap(flattenUnion).filter(({ type }) => type !== 'null')
  const list = members.find(({ type }) => type === 'array')
  if (list) return { ...rest, ...list }
  const [only, ...others] = members
  return others.length === 0 ? { ...only, ...rest } : { ...rest, anyOf: members }
}

function flattenUnion(schema: JsonSchema): readonly JsonSchema[] {
  return schema.anyOf ? schema.anyOf.flatMap(flattenUnion) : [schema]
}

function withoutNull(schema: JsonSchema): JsonSchema {
  if (typeof schema.type !== 'object') return schema
  const types = schema.type.filter((type) => type !== 'null')
  return { ...schema, type: types.length === 1 ? (types[0] as string) : types }
}

/** `idempotency-key` as people write it: `Idempotency-Key`. */
function capitalize(header: string): string {
  return header.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())
}
