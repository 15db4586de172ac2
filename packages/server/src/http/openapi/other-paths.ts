import {
  type JsonSchema,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiPath,
  PROVIDER_CALLBACK_PATH,
  PROVIDER_SIGN_IN_PATH,
  SESSION_PATH,
} from '@runledger/protocol'
import { DOWNLOADS_PATH, UPLOADS_PATH } from '../../record/files/attachments/addresses'
import { describeErrors, describePathParameters, jsonContent } from './describe-operation'
import type { JsonSchemas } from './json-schemas'
import { describeMarkdownPages, inMarkdown } from './markdown-paths'
import type { OtherOperation } from './other-operation'

export const OPENAPI_PATH = '/openapi.json'
export const METRICS_PATH = '/metrics'

const SIGNED_OUT: JsonSchema = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    continue_at: { type: 'string', description: 'Ends the session at the sign-in provider too' },
  },
  required: ['message'],
}
const SIGNED_IN: JsonSchema = {
  type: 'object',
  properties: { message: { type: 'string' }, token: { type: 'string' } },
  required: ['message', 'token'],
}
const SIGN_IN: JsonSchema = {
  anyOf: ['key', 'code'].map((name) => ({
    type: 'object',
    properties: { [name]: { type: 'string', minLength: 1 } },
    required: [name],
  })),
}
const SIGNED_ADDRESS: readonly OpenApiParameter[] = [
  { name: 'expires', in: 'query', required: true, schema: { type: 'string', pattern: '^[0-9]{1,12}$' } },
  { name: 'signature', in: 'query', required: true, schema: { type: 'string' } },
]
const DOWNLOAD: OpenApiParameter = {
  name: 'download',
  in: 'query',
  required: false,
  description: 'Saves the bytes as a file, whatever they are',
  schema: { type: 'string', examples: ['1'] },
}
const RANGE: OpenApiParameter = {
  name: 'Range',
  in: 'header',
  required: false,
  description: 'One range of bytes, such as `bytes=0-99`',
  schema: { type: 'string' },
}
const BYTES = { '*/*': { schema: { description: 'The bytes of the file' } } }

/** These routes take or answer a cookie, or something other than JSON. */
export function describeOtherPaths(schemas: JsonSchemas): Record<string, OpenApiPath> {
  const upload = `${UPLOADS_PATH}/{id}`
  const download = `${DOWNLOADS_PATH}/{id}`
  const describe = (
    path: string,
    { ok, errors, security = [], ...operation }: OtherOperation,
  ): OpenApiOperation => ({
    ...operation,
    responses: {
      ...ok,
      ...describeErrors(schemas, path, [...errors, 'INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE']),
    },
    security,
  })
  return {
    [upload]: { put: describe(upload, describeUpload(upload)) },
    [download]: {
      get: describe(download, describeDownload(download, 'get')),
      head: describe(download, describeDownload(download, 'head')),
    },
    [SESSION_PATH]: {
      post: describe(SESSION_PATH, SIGN_IN_OPERATION),
      delete: describe(SESSION_PATH, SIGN_OUT_OPERATION),
    },
    [PROVIDER_SIGN_IN_PATH]: { get: describe(PROVIDER_SIGN_IN_PATH, PROVIDER_SIGN_IN_OPERATION) },
    [PROVIDER_CALLBACK_PATH]: { get: describe(PROVIDER_CALLBACK_PATH, PROVIDER_CALLBACK_OPERATION) },
    [OPENAPI_PATH]: { get: describe(OPENAPI_PATH, DESCRIPTION_OPERATION) },
    ...Object.fromEntries(
      describeMarkdownPages(schemas).map(([path, page]) => [path, { get: inMarkdown(describe(path, page)) }]),
    ),
    [METRICS_PATH]: { get: describe(METRICS_PATH, METRICS_OPERATION) },
  }
}

function describeUpload(path: string): OtherOperation {
  return {
    operationId: 'uploadAttachment',
    tags: ['Attachments'],
    summary: 'Upload the bytes of an attachment to the address that initializing it answered',
    description:
      'The address is signed and needs no API key. The Content-Type is that of the file and may be missing; a chunked body and an empty file are fine, a Content-Encoding is refused.',
    parameters: [...describePathParameters(path), ...SIGNED_ADDRESS],
    requestBody: {
      required: false,
      content: { '*/*': { schema: { description: 'The bytes of the file' } } },
    },
    ok: { '200': { description: 'The bytes are stored; the response has no body' } },
    errors: [
      'BAD_REQUEST',
      'FORBIDDEN',
      'NOT_FOUND',
      'CONFLICT',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'TOO_MANY_REQUESTS',
    ],
  }
}

const toOptional = (parameter: OpenApiParameter): OpenApiParameter => ({ ...parameter, required: false })

// A range is for GET alone (RFC 9110, 14.2).
function describeDownload(path: string, method: 'get' | 'head'): OtherOperation {
  const isGet = method === 'get'
  const parts = {
    '206': { description: 'The range that was asked for', content: BYTES },
    '416': { description: 'The range lies outside of the file' },
  }
  return {
    operationId: isGet ? 'downloadAttachment' : 'headAttachment',
    tags: ['Attachments'],
    summary: isGet
      ? 'Read the bytes of an attachment'
      : 'Read size and type of an attachment, without its bytes',
    description:
      'The signed address comes from the run that has the attachment, and needs no API key. A request with a key or a session needs no signature.',
    parameters: [
      ...describePathParameters(path),
      ...SIGNED_ADDRESS.map(toOptional),
      DOWNLOAD,
      ...(isGet ? [RANGE] : []),
    ],
    ok: {
      '200': { description: 'All bytes', ...(isGet ? { content: BYTES } : {}) },
      '304': { description: 'What the client has is current' },
      ...(isGet ? parts : {}),
    },
    errors: ['BAD_REQUEST', 'UNAUTHORIZED', 'FORBIDDEN', 'NOT_FOUND'],
  }
}

const SIGN_IN_OPERATION: OtherOperation = {
  operationId: 'signIn',
  tags: ['Service'],
  summary: 'Sign in to the dashboard with a user key, or with the code of a sign-in link',
  description:
    'Returns a cookie that reads, and a token with which it changes what the role of the key allows.',
  requestBody: { required: true, content: jsonContent(SIGN_IN) },
  ok: {
    '200': {
      description: 'Signed in',
      headers: { 'Set-Cookie': { description: 'The session', schema: { type: 'string' } } },
      content: jsonContent(SIGNED_IN),
    },
  },
  errors: [
    'BAD_REQUEST',
    'PARSE_ERROR',
    'UNAUTHORIZED',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'TOO_MANY_REQUESTS',
  ],
}

const SIGN_OUT_OPERATION: OtherOperation = {
  operationId: 'signOut',
  tags: ['Service'],
  summary: 'Sign out of the dashboard',
  description: 'Ends the session of the request’s cookie, if it has one.',
  ok: { '200': { description: 'Signed out', content: jsonContent(SIGNED_OUT) } },
  errors: [],
}

const SENT_ON = {
  '303': {
    description: 'Where the browser goes on',
    headers: { Location: { description: 'The address', schema: { type: 'string' } } },
  },
} as const

const PROVIDER_SIGN_IN_OPERATION: OtherOperation = {
  operationId: 'startProviderSignIn',
  tags: ['Service'],
  summary: 'Send a browser to the sign-in provider',
  description: 'For a link of the page of sign-in. 404 without `--oidc-issuer`.',
  parameters: [
    {
      name: 'next',
      in: 'query',
      required: false,
      description: 'The page to continue at',
      schema: { type: 'string' },
    },
  ],
  ok: SENT_ON,
  errors: ['NOT_FOUND'],
}

const PROVIDER_CALLBACK_OPERATION: OtherOperation = {
  operationId: 'finishProviderSignIn',
  tags: ['Service'],
  summary: 'Take a browser back from the sign-in provider',
  description:
    'The redirect URI of OpenID Connect. Sends the browser on to `/sign-in` with a code for `signIn`, or with `failed` and the reason.',
  ok: SENT_ON,
  errors: ['NOT_FOUND', 'TOO_MANY_REQUESTS'],
}

const DESCRIPTION_OPERATION: OtherOperation = {
  operationId: 'getDescription',
  tags: ['Service'],
  summary: 'Get this description',
  description: 'OpenAPI 3.1, made from the schemas that check requests. No API key is needed.',
  ok: {
    '200': { description: 'The description', content: jsonContent({ type: 'object' }) },
    '304': { description: 'What the client has is current' },
  },
  errors: [],
}

const METRICS_OPERATION: OtherOperation = {
  operationId: 'getMetrics',
  tags: ['Service'],
  summary: 'Get the counters of the service, for Prometheus',
  description: 'Sums only, no stored data. No API key is needed; a request through a proxy is refused.',
  ok: {
    '200': {
      description: 'Counters, gauges and histograms',
      content: { 'text/plain; version=0.0.4; charset=utf-8': { schema: { type: 'string' } } },
    },
  },
  errors: ['FORBIDDEN'],
}
