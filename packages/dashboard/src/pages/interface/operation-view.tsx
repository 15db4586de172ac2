import type { OpenApiContent, OpenApiDocument, OpenApiResponse } from '@runledger/protocol'
import type { DescribedOperation } from './list-operations'
import { Part } from './part'
import { FieldHead, Prose, SchemaView } from './schema-view'
import { TryForm } from './try-form'

interface OperationViewProps {
  operation: DescribedOperation
  description: OpenApiDocument
  apiKey: string
}

export function OperationView({ operation, description, apiKey }: OperationViewProps) {
  const { schemas } = description.components
  const { parameters = [], requestBody, responses } = operation
  const entries = Object.entries(responses)
  const successes = entries.filter(([status]) => Number(status) < 400 || status === '416')
  const errors = entries.filter(([status]) => Number(status) >= 400 && status !== '416')
  return (
    <div className="grid gap-x-8 gap-y-5 border-t border-line px-4 py-4 lg:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-5">
        <p className="max-w-prose text-sm">
          <Prose text={operation.description} />
        </p>
        {parameters.length > 0 && (
          <Part title="Parameters">
            <ul className="flex flex-col gap-1.5">
              {parameters.map((parameter) => (
                <li key={`${parameter.in} ${parameter.name}`} className="min-w-0 text-sm">
                  <FieldHead
                    name={parameter.name}
                    schema={{
                      ...parameter.schema,
                      ...(parameter.description === undefined ? {} : { description: parameter.description }),
                    }}
                    components={schemas}
                    note={parameter.required ? 'required' : undefined}
                  />
                </li>
              ))}
            </ul>
          </Part>
        )}
        {requestBody && (
          <Part title="Body">
            <ContentView content={requestBody.content} schemas={schemas} isResponse={false} />
          </Part>
        )}
        {successes.map(([status, response]) => (
          <Part key={status} title={`Answer ${status}`}>
            <p className="text-sm">{response.description}</p>
            {response.content && <ContentView content={response.content} schemas={schemas} isResponse />}
          </Part>
        ))}
        <Part title="Errors">
          <Errors errors={errors} />
        </Part>
      </div>
      <TryForm operation={operation} description={description} apiKey={apiKey} />
    </div>
  )
}

type Schemas = OpenApiDocument['components']['schemas']

interface ContentViewProps {
  content: OpenApiContent
  schemas: Schemas
  isResponse: boolean
}

function ContentView({ content, schemas, isResponse }: ContentViewProps) {
  return Object.entries(content).map(([type, { schema }]) =>
    type === 'application/json' ? (
      <SchemaView key={type} schema={schema} components={schemas} isResponse={isResponse} />
    ) : (
      <p key={type} className="text-sm text-soft">
        <code className="font-mono">{type}</code> {schema.description}
      </p>
    ),
  )
}

function Errors({ errors }: { errors: [string, OpenApiResponse][] }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
      {errors.map(([status, { description }]) => (
        <div key={status} className="contents">
          <dt className="numeric font-mono font-medium">{status}</dt>
          <dd className="min-w-0 wrap-anywhere">
            <Prose text={description} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
