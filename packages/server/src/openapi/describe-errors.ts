import {
  ERROR_STATUS,
  type ErrorCode,
  type OpenApiContent,
  type OpenApiResponse,
  V1ErrorSchema,
  V2ErrorSchema,
} from '@runledger/protocol'
import type { JsonSchemas } from './json-schemas'

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which the same request may succeed',
    schema: { type: 'integer', minimum: 1 },
  },
}
const WWW_AUTHENTICATE = {
  'WWW-Authenticate': { description: 'The scheme to authenticate with', schema: { const: 'Bearer' } },
}

/** What each code says, whichever operation answers it (contract decisions, Errors). */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request does not fit the schema, or what it asks for cannot be done',
  PARSE_ERROR: 'The body is not valid JSON',
  UNAUTHORIZED: 'The API key is missing, unknown, expired or revoked',
  FORBIDDEN: 'The API key is valid and may not do this',
  NOT_FOUND: 'Something that the request names does not exist',
  CONFLICT: 'It already exists, or is in a state that does not allow this',
  PAYLOAD_TOO_LARGE: 'The body is larger than the service takes',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not labelled as JSON',
  UNPROCESSABLE_CONTENT: 'Declared for clients; the service answers 400 instead',
  TOO_MANY_REQUESTS: 'Too many requests; `Retry-After` says when to try again',
  INTERNAL_SERVER_ERROR: 'The service failed',
  BAD_GATEWAY: 'No upload address could be made: the object store cannot be reached',
  SERVICE_UNAVAILABLE: 'The service is shutting down, its disk is full or its database does not answer',
}

/** One response for each status of these codes, with the error record of the path's interface. */
export function describeErrors(
  schemas: JsonSchemas,
  path: string,
  codes: readonly ErrorCode[],
): Record<string, OpenApiResponse> {
  const record = schemas.refer(path.startsWith('/v1/') ? V1ErrorSchema : V2ErrorSchema)
  const content = jsonContent(record)
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const own = [...new Set(codes)].filter((code) => ERROR_STATUS[code] === status)
      const description = own.map((code) => `\`${code}\`: ${MEANING[code]}.`).join(' ')
      return [String(status), { description, ...describeHeaders(status), content }]
    }),
  )
}

function describeHeaders(status: number): Pick<OpenApiResponse, 'headers'> {
  if (status === 429 || status === 503) return { headers: RETRY_AFTER }
  return status === 401 ? { headers: WWW_AUTHENTICATE } : {}
}

export function jsonContent(schema: OpenApiContent[string]['schema']): OpenApiContent {
  return { 'application/json': { schema } }
}
