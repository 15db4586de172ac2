import type { OpenApiDocument, OpenApiParameter } from '@runledger/protocol'
import { useMutation } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { useId, useState, type FormEvent } from 'react'
import { tryRequest } from '../../api/try-request'
import { Button } from '../../ui/button'
import { ResponseView } from './response-view'
import { bodyType, buildRequest, fieldKey, formatCurl, listMissing, type FieldValues } from './build-request'
import { CopyButton } from '../../ui/copy-button'
import type { DescribedOperation } from './list-operations'
import { makeExample } from './make-example'
import { ParameterField } from './parameter-field'
import { Part } from './part'

const MAX_FIELDS = 8

interface TryFormProps {
  operation: DescribedOperation
  description: OpenApiDocument
  apiKey: string
}

/** Fields for what an operation takes, a line for the shell that says the same, and what comes back. */
export function TryForm({ operation, description, apiKey }: TryFormProps) {
  const [values, setValues] = useState<FieldValues>({})
  const [body, setBody] = useState(() => exampleBody(operation, description))
  // Not remembered once the page is left: the request has the key in it.
  const trying = useMutation({ mutationFn: tryRequest, gcTime: 0 })
  const needsKey = operation.security.length > 0
  const request = buildRequest(operation, values, body)
  const missing = listMissing(operation, values)
  const lacksKey = needsKey && apiKey === '' && operation.method !== 'GET'
  const send = (event: FormEvent) => {
    event.preventDefault()
    trying.mutate({ ...request, apiKey: needsKey && apiKey !== '' ? apiKey : undefined })
  }
  return (
    <div className="flex min-w-0 flex-col gap-5">
      <Part title="Try it">
        <form className="flex flex-col gap-3" onSubmit={send} aria-label={`Try ${operation.operationId}`}>
          <ParameterFields
            operation={operation}
            description={description}
            values={values}
            onChange={setValues}
          />
          {body !== undefined && <BodyField body={body} onChange={setBody} />}
          <div className="flex flex-wrap items-center gap-3">
            <Button
              type="submit"
              look="primary"
              disabled={trying.isPending || missing.length > 0 || lacksKey}
            >
              <Send aria-hidden className="size-4" />
              {trying.isPending ? 'Sending…' : 'Send'}
            </Button>
            <span className="text-sm text-soft">{explainWait(missing, lacksKey)}</span>
          </div>
        </form>
      </Part>
      {trying.error && (
        <p role="alert" className="text-sm text-bad">
          {trying.error.message}
        </p>
      )}
      {trying.data && <ResponseView response={trying.data} />}
      <Curl line={formatCurl(description.servers[0]?.url ?? '', request, needsKey)} />
    </div>
  )
}

interface ParameterFieldsProps extends Omit<TryFormProps, 'apiKey'> {
  values: FieldValues
  onChange: (values: FieldValues) => void
}

/** What is required and a few others; more than that are folded away. */
function ParameterFields({ operation, description, values, onChange }: ParameterFieldsProps) {
  const parameters = operation.parameters ?? []
  const isFolding = parameters.length > MAX_FIELDS
  const first = isFolding
    ? parameters.filter(({ required, name }) => required || name === 'limit')
    : parameters
  const others = parameters.filter((parameter) => !first.includes(parameter))
  const field = (parameter: OpenApiParameter) => (
    <ParameterField
      key={fieldKey(parameter)}
      parameter={parameter}
      components={description.components.schemas}
      value={values[fieldKey(parameter)] ?? ''}
      onChange={(value) => onChange({ ...values, [fieldKey(parameter)]: value })}
    />
  )
  return (
    <>
      {first.map(field)}
      {others.length > 0 && (
        <details>
          <summary className="text-sm">{others.length} more parameters</summary>
          <div className="mt-3 flex flex-col gap-3">{others.map(field)}</div>
        </details>
      )}
    </>
  )
}

function explainWait(missing: string[], lacksKey: boolean): string | undefined {
  if (missing.length > 0) return `Needs ${missing.join(', ')}.`
  return lacksKey ? 'Needs an API key, above.' : undefined
}

function exampleBody(operation: DescribedOperation, description: OpenApiDocument): string | undefined {
  const type = bodyType(operation)
  const schema = type === undefined ? undefined : operation.requestBody?.content[type]?.schema
  if (!schema) return undefined
  if (type !== 'application/json') return ''
  return JSON.stringify(makeExample(schema, description.components.schemas), undefined, 2)
}

function BodyField({ body, onChange }: { body: string; onChange: (body: string) => void }) {
  const inputId = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={inputId} className="text-sm font-medium">
        Body
      </label>
      <textarea
        id={inputId}
        rows={Math.min(16, Math.max(3, body.split('\n').length))}
        spellCheck={false}
        value={body}
        onChange={({ target }) => onChange(target.value)}
        className="w-full rounded-md border border-soft bg-surface p-2 font-mono text-xs"
      />
    </div>
  )
}

function Curl({ line }: { line: string }) {
  return (
    <section className="min-w-0">
      <div className="mb-1 flex items-center justify-between gap-2">
        <h3 className="text-sm font-semibold text-soft">With curl</h3>
        <CopyButton text={line} label="Copy the line for curl" />
      </div>
      <pre
        tabIndex={0}
        aria-label="Line for curl"
        className="overflow-x-auto rounded-md border border-line bg-sunken p-3 font-mono text-xs"
      >
        {line}
      </pre>
    </section>
  )
}
