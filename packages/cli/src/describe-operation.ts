import {
  listFields,
  listPathParams,
  type Operation,
  OPERATION_ROUTES,
  type OperationField,
  type OperationName,
  OPERATIONS,
} from '@runledger/protocol'
import { formatTable } from './table'

export function describeOperation(name: OperationName): string {
  const route = OPERATION_ROUTES[name]
  const { summary, query, body }: Operation = OPERATIONS[name]
  const inPath = listPathParams(route.path).map((param) => ({
    name: param,
    isRequired: true,
    kind: 'text',
    description: '',
  }))
  return [
    '',
    `${name}: ${summary}.`,
    `${route.method} ${route.path}`,
    ...formatFields('Values, as name=value (* must be given, … may come several times):', [
      ...inPath,
      ...listFields(query),
    ]),
    ...formatFields('Fields of the body (* must be given):', listFields(body)),
  ].join('\n')
}

function formatFields(title: string, fields: readonly OperationField[]): string[] {
  if (fields.length === 0) return []
  const rows = fields.map(({ name, isRequired, kind, description }) => [
    `${name}${isRequired ? '*' : ''}`,
    kind,
    description,
  ])
  const lines = formatTable(['Name', 'What it takes', ''], rows).split('\n')
  return ['', title, ...lines.map((line) => `  ${line}`)]
}
