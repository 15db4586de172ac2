import {
  type Access,
  ERROR_STATUS,
  type ErrorCode,
  IDEMPOTENCY_KEY_HEADER,
  type JsonSchema,
  listErrorCodes,
  listPathParams,
  type OpenApiContent,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
  type Operation,
  OPERATION_ROUTES,
  type OperationName,
  type OperationRoute,
  OPERATIONS,
  SESSION_TOKEN_HEADER,
  type Role,
  V1ErrorSchema,
  V2ErrorSchema,
} from '@runledger/protocol'
import type { Context } from '../../operations/call/context'
import type { JsonSchemas } from './json-schemas'
import { sessionCookieName } from '../transport/session-cookie'

const OTHER_KEYS: Readonly<Record<Exclude<Access, 'none' | 'station-key'>, string>> = {
  'every-key': '; station and project keys',
  'any-key': '; station keys',
  'linked-procedure':
    '; station keys for procedures that are linked to the station, project keys for their own',
  'linked-run':
    '; station keys for runs of procedures that are linked to the station, project keys for those of their own',
  'own-unit': '; station keys for units that the station created or that runs of its own are about',
  'user-key': '',
  'own-station': '; a station key for its own station',
  'linked-station': '; keys of stations that a procedure is linked to',
}

const USER_KEYS: Readonly<Record<Role, string>> = {
  viewer: 'User keys',
  member: 'User keys of members and admins',
  admin: 'User keys of admins',
}

/** As docs/interface.md#access says. */
function describeAccess(operation: Operation): string {
  if (operation.access === 'none') return 'No API key is needed.'
  if (operation.access === 'station-key') return 'Station keys.'
  return `${USER_KEYS[operation.role]}${OTHER_KEYS[operation.access]}.`
}

export function describeOperation(name: OperationName, schemas: JsonSchemas): OpenApiOperation {
  const { method, path }: OperationRoute = OPERATION_ROUTES[name]
  const operation: Operation = OPERATIONS[name]
  const { tag, summary, access, params, query, body, response, headers } = operation
  const parameters = [
    ...describePathParameters(path, params && schemas.read(params)),
    ...(query ? describeQueryParameters(schemas.read(query)) : []),
    ...describeHeaderParameters(headers),
  ]
  return {
    operationId: name,
    tags: [tag],
    summary,
    description: describeAccess(operation),
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

// The creation of runs declares 422 for clients (docs/interface.md#errors); every operation may answer 500 or 503.
function listDeclaredCodes(operation: Operation): ErrorCode[] {
  const createsRun = IDEMPOTENCY_KEY_HEADER in (operation.headers ?? {})
  return [
    ...listErrorCodes(operation),
    ...(createsRun ? (['UNPROCESSABLE_CONTENT'] as const) : []),
    'INTERNAL_SERVER_ERROR',
    'SERVICE_UNAVAILABLE',
  ]
}

export function describePathParameters(path: string, { properties }: JsonSchema = {}): OpenApiParameter[] {
  return listPathParams(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string', minLength: 1, ...properties?.[name] },
  }))
}

/** A list is sent by repeating its key. */
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

function describeHeaderParameters(headers: Readonly<Record<string, string>> = {}): OpenApiParameter[] {
  return Object.entries(headers).map(([name, description]) => ({
    name: capitalize(name),
    in: 'header',
    required: false,
    description,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  }))
}

// A query has no null, and a list of one value looks like the value.
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

/** `idempotency-key` → `Idempotency-Key` */
function capitalize(header: string): string {
  return header.replaceAll(/(?<=^|-)[a-z]/g, (letter) => letter.toUpperCase())
}

const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which the same request may succeed',
    schema: { type: 'integer', minimum: 1 },
  },
}
const WWW_AUTHENTICATE = {
  'WWW-Authenticate': { description: 'The scheme to authenticate with', schema: { const: 'Bearer' } },
}

/** As docs/interface.md#errors says. */
const MEANING: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST: 'The request does not fit the schema, or what it asks for cannot be done',
  PARSE_ERROR: 'The body is not valid JSON',
  UNAUTHORIZED: 'The API key is missing, unknown, expired or revoked',
  FORBIDDEN: 'The API key is valid and may not do this',
  NOT_FOUND: 'Something that the request names does not exist',
  CONFLICT: 'It already exists, or is in a state that does not allow this',
  PAYLOAD_TOO_LARGE: 'The body is larger than the service takes',
  URI_TOO_LONG: 'A part of the path is longer than anything is called',
  UNSUPPORTED_MEDIA_TYPE: 'The body is compressed, or not labelled as what the operation takes',
  UNPROCESSABLE_CONTENT: 'Declared for clients; the service answers 400 instead',
  TOO_MANY_REQUESTS: 'Too many requests; `Retry-After` says when to try again',
  INTERNAL_SERVER_ERROR: 'The service failed',
  BAD_GATEWAY: 'No upload address could be made: the object store cannot be reached',
  SERVICE_UNAVAILABLE: 'The service is shutting down, its disk is full or its database does not answer',
}

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

/** As docs/interface.md#access says. */
export function describeSecuritySchemes(context: Pick<Context, 'publicUrl'>): Record<string, unknown> {
  return {
    apiKey: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'API key',
      description:
        'OAuth 2.0 with an API key: the header `Authorization: Bearer <API key>` (RFC 6750). The scheme is matched without regard to case. Keys are of three kinds, user (`rl_user_…`), station (`rl_station_…`) and project (`rl_project_…`); a key that may be compromised should be regenerated.',
    },
    session: {
      type: 'apiKey',
      in: 'cookie',
      name: sessionCookieName(context),
      description:
        'The session of the dashboard. A request that is no GET also needs the token of the session.',
    },
    sessionToken: {
      type: 'apiKey',
      in: 'header',
      name: SESSION_TOKEN_HEADER,
      description: 'The token that `POST /session` returns.',
    },
  }
}

/** Reading also works with the dashboard's session, and changes with its token. */
export function securityOf(needsKey: boolean, method: string): OpenApiOperation['security'] {
  if (!needsKey) return []
  return [{ apiKey: [] }, method === 'GET' ? { session: [] } : { session: [], sessionToken: [] }]
}
