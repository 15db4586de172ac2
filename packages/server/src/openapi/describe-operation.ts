import {
  type Access,
  type ErrorCode,
  IDEMPOTENCY_KEY_HEADER,
  listErrorCodes,
  type OpenApiOperation,
  type Operation,
  OPERATION_ROUTES,
  type OperationName,
  type OperationRoute,
  OPERATIONS,
} from '@runledger/protocol'
import { describeErrors, jsonContent } from './describe-errors'
import {
  describeHeaderParameters,
  describePathParameters,
  describeQueryParameters,
} from './describe-parameters'
import type { JsonSchemas } from './json-schemas'
import { securityOf } from './security'

/** Who may use it, as a sentence (contract decisions, Access). */
const ACCESS_SENTENCES: Readonly<Record<Access, string>> = {
  none: 'No API key is needed.',
  'any-key': 'User and station keys alike.',
  linked: 'User keys; station keys for procedures that are linked to the station.',
  'user-key': 'User keys only.',
  'station-key': 'Station keys only.',
}

/** An operation of the table as OpenAPI describes it. */
export function describeOperation(name: OperationName, schemas: JsonSchemas): OpenApiOperation {
  const { method, path }: OperationRoute = OPERATION_ROUTES[name]
  const operation: Operation = OPERATIONS[name]
  const { tag, summary, access, query, body, response, headers } = operation
  const parameters = [
    ...describePathParameters(path),
    ...(query ? describeQueryParameters(schemas.read(query)) : []),
    ...describeHeaderParameters(headers),
  ]
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: ACCESS_SENTENCES[access],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body
      ? {
          requestBody: {
            required: operation.isBodyOptional !== true,
            content: jsonContent(schemas.refer(body)),
          },
        }
      : {}),
    responses: {
      '200': { description: 'Success', content: jsonContent(schemas.refer(response)) },
      ...describeErrors(schemas, path, listDeclaredCodes(operation)),
    },
    security: securityOf(access !== 'none', method),
  }
}

// On the creation of runs 422 is declared for clients (contract decisions, Errors); any may fail, or come at the end.
function listDeclaredCodes(operation: Operation): ErrorCode[] {
  const createsRun = IDEMPOTENCY_KEY_HEADER in (operation.headers ?? {})
  return [
    ...listErrorCodes(operation),
    ...(createsRun ? (['UNPROCESSABLE_CONTENT'] as const) : []),
    'INTERNAL_SERVER_ERROR',
    'SERVICE_UNAVAILABLE',
  ]
}
