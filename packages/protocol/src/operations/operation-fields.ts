import * as z from 'zod'

/** A field of a query or of a JSON body, for people. */
export interface OperationField {
  name: string
  isRequired: boolean
  /** What may be given, such as `text`, `number` or `PASS | FAIL`; lists end in `…`. Empty for anything. */
  kind: string
  description: string
}

/** The fields of a schema of the table of operations, in its own order. */
export function listFields(schema: z.ZodType | undefined): OperationField[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })
  return Object.entries(properties).map(([name, property]) => ({
    name,
    isRequired: required.includes(name),
    kind: describeKind(property),
    description: typeof property === 'object' ? (property.description ?? '') : '',
  }))
}

type Described = z.core.JSONSchema._JSONSchema

const KINDS: Record<string, string> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true | false',
  object: 'JSON',
}

function describeKind(schema: Described): string {
  if (typeof schema === 'boolean') return ''
  const members = (schema.anyOf ?? schema.oneOf ?? []).filter((each) => !isNull(each))
  const list = [schema, ...members].find((each) => typeof each === 'object' && each.type === 'array')
  if (typeof list === 'object') return `${describeKind((list.items as Described | undefined) ?? true)}…`
  if (schema.enum) return schema.enum.join(' | ')
  // The others are spellings of the first.
  if (members[0] !== undefined) return describeKind(members[0])
  return KINDS[String(schema.type)] ?? ''
}

function isNull(schema: Described): boolean {
  return typeof schema === 'object' && schema.type === 'null'
}
