import { canFillPath, type JsonSchema, type OpenApiParameter } from '@runledger/protocol'
import type { DescribedOperation } from './list-operations'

/** What is typed into the fields of an operation, by `place.name`; a list has one line for each value. */
export type FieldValues = Readonly<Record<string, string>>

export interface BuiltRequest {
  method: string
  /** With its parameters filled in and its query. */
  path: string
  headers: Readonly<Record<string, string>>
  body: string | undefined
}

/** What is typed for bytes of any type. */
const TYPED_TEXT = 'text/plain; charset=utf-8'

export function fieldKey({ in: place, name }: OpenApiParameter): string {
  return `${place}.${name}`
}

/** The media type of an operation's body: JSON, bytes of any type, or undefined without one. */
export function bodyType({ requestBody }: DescribedOperation): string | undefined {
  return requestBody && Object.keys(requestBody.content)[0]
}

/** The request that the fields say; parameters of the path that are missing stay in braces. */
export function buildRequest(
  operation: DescribedOperation,
  values: FieldValues,
  body: string | undefined,
): BuiltRequest {
  const parameters = operation.parameters ?? []
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[`path.${name}`]?.trim() ?? ''
    return canFillPath(value) ? encodeURIComponent(value) : whole
  })
  const query = new URLSearchParams(
    parameters
      .filter((parameter) => parameter.in === 'query')
      .flatMap((parameter) => listValues(parameter, values).map((value) => [parameter.name, value])),
  ).toString()
  const headers = parameters
    .filter((parameter) => parameter.in === 'header')
    .flatMap((parameter) => listValues(parameter, values).map((value) => [parameter.name, value] as const))
  const type = bodyType(operation)
  const hasBody = type !== undefined && body !== undefined && body.trim() !== ''
  const label = [['Content-Type', type === 'application/json' ? type : TYPED_TEXT] as const]
  return {
    method: operation.method,
    path: query === '' ? path : `${path}?${query}`,
    headers: Object.fromEntries([...headers, ...(hasBody ? label : [])]),
    body: hasBody ? body : undefined,
  }
}

/** Required parameters without a value, or with one that no path can have. */
export function listMissing(operation: DescribedOperation, values: FieldValues): string[] {
  return (operation.parameters ?? [])
    .filter(
      (parameter) => parameter.required && !canFill(parameter, values[fieldKey(parameter)]?.trim() ?? ''),
    )
    .map(({ name }) => name)
}

function canFill({ in: place }: OpenApiParameter, value: string): boolean {
  return place === 'path' ? canFillPath(value) : value !== ''
}

export function isList({ type }: JsonSchema): boolean {
  return type === 'array'
}

function listValues(parameter: OpenApiParameter, values: FieldValues): string[] {
  const text = values[fieldKey(parameter)] ?? ''
  return (isList(parameter.schema) ? text.split('\n') : [text]).map((line) => line.trim()).filter(Boolean)
}

/** A line for a shell. The key is a variable there: a line that is copied never has one. */
export function formatCurl(
  base: string,
  { method, path, headers, body }: BuiltRequest,
  needsKey: boolean,
): string {
  const parts = [
    `curl${method === 'GET' ? '' : method === 'HEAD' ? ' --head' : ` -X ${method}`} ${quote(base + path)}`,
    ...(needsKey ? ['-H "Authorization: Bearer $RUNLEDGER_API_KEY"'] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // The other options for data read a file where the text begins with @.
    ...(body === undefined ? [] : [`--data-raw ${quote(body)}`]),
  ]
  return parts.join(' \\\n  ')
}

/** In single quotes, in which a shell reads nothing but their end. */
function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
