import type { JsonSchema } from '@runledger/protocol'
import { describeLimits, describeType, resolveSchema, withoutNull, type Components } from './describe-type'

const MAX_DEPTH = 8
const OPEN_DEPTH = 1

interface SchemaViewProps {
  schema: JsonSchema
  components: Components
  /** Of a response it is told what may be absent, of a request what must be there. */
  isResponse?: boolean
}

/** What a body is: its type, then its fields, those within them folded away. */
export function SchemaView({ schema, components, isResponse = false }: SchemaViewProps) {
  const fields = findFields(schema, components)
  return (
    <div className="text-sm">
      <p className="font-mono text-soft">{describeType(schema, components)}</p>
      {fields && <FieldList schema={fields} components={components} isResponse={isResponse} depth={0} />}
    </div>
  )
}

/** The object whose fields are worth showing: the schema's own, or that of its entries. */
function findFields(schema: JsonSchema, components: Components): JsonSchema | undefined {
  const whole = resolveSchema(withoutNull(schema).schema, components)
  if (whole.properties) return whole
  if (whole.items) return findFields(whole.items, components)
  if (typeof whole.additionalProperties === 'object')
    return findFields(whole.additionalProperties, components)
  for (const member of whole.anyOf ?? []) {
    const found = findFields(member, components)
    if (found) return found
  }
  return undefined
}

function FieldList({ schema, components, isResponse = false, depth }: SchemaViewProps & { depth: number }) {
  return (
    <ul className="mt-1 flex flex-col border-l border-line">
      {Object.entries(schema.properties ?? {}).map(([name, field]) => (
        <li key={name} className="min-w-0 py-1 pl-3">
          <Field
            name={name}
            schema={field}
            components={components}
            depth={depth}
            isResponse={isResponse}
            isRequired={schema.required?.includes(name) ?? false}
          />
        </li>
      ))}
    </ul>
  )
}

interface FieldProps extends SchemaViewProps {
  name: string
  depth: number
  isRequired: boolean
}

function Field({ name, schema, components, isResponse, depth, isRequired }: FieldProps) {
  const inner = depth < MAX_DEPTH ? findFields(schema, components) : undefined
  const note = isResponse ? (isRequired ? undefined : 'may be absent') : isRequired ? 'required' : undefined
  const head = <FieldHead name={name} schema={schema} components={components} note={note} />
  if (!inner) return head
  return (
    <details open={depth < OPEN_DEPTH && Object.keys(inner.properties ?? {}).length <= 4}>
      <summary className="marker:text-soft">{head}</summary>
      <FieldList schema={inner} components={components} isResponse={isResponse ?? false} depth={depth + 1} />
    </details>
  )
}

interface FieldHeadProps extends Pick<FieldProps, 'name' | 'schema' | 'components'> {
  note: string | undefined
}

/** A field's name, type, limits and what it means; the same for parameters. */
export function FieldHead({ name, schema, components, note }: FieldHeadProps) {
  const limits = describeLimits(resolveSchema(schema, components))
  const description = schema.description ?? withoutNull(schema).schema.description
  return (
    <span className="inline-flex max-w-[calc(100%-1.25rem)] flex-wrap items-baseline gap-x-2 align-top wrap-anywhere">
      <code className="font-mono font-medium">{name}</code>
      {note !== undefined && <span className="text-xs font-medium text-warn">{note}</span>}
      <span className="font-mono text-xs text-soft">{describeType(schema, components)}</span>
      {limits !== undefined && <span className="text-xs text-soft">{limits}</span>}
      {description !== undefined && (
        <span className="basis-full text-sm">
          <Prose text={description} />
        </span>
      )}
    </span>
  )
}

/** Text of the description: `code`, **strong**, and nothing else of Markdown. */
export function Prose({ text }: { text: string }) {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).map((part, index) => {
    if (part.startsWith('`') && part.length > 1) {
      return (
        <code key={index} className="font-mono text-[0.9em]">
          {part.slice(1, -1)}
        </code>
      )
    }
    return part.startsWith('**') ? <strong key={index}>{part.slice(2, -2)}</strong> : part
  })
}
