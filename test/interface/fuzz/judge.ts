import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormatsModule from 'ajv-formats'
import {
  ERROR_STATUS,
  type ErrorCode,
  type JsonSchema,
  type OpenApiDocument,
} from '../../../packages/protocol/src/index'
import type { FuzzRequest } from './generate-request'
import type { RawResponse, Sent } from './raw-client'

// The package is CommonJS: its function is the default export's default.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void

const MARKDOWN = 'text/markdown'

/** Says what is wrong with a response, by the description alone. */
export class Judge {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: false })
  readonly #checks = new Map<string, ValidateFunction>()

  constructor(description: OpenApiDocument) {
    addFormats(this.#ajv)
    this.#ajv.addSchema(closeObjects(description) as object, 'description')
  }

  /** Undefined when the response is as described. */
  judge(request: FuzzRequest, sent: Sent): string | undefined {
    if (sent === 'hang') return 'hang: no response in time'
    if (sent === 'closed') return request.isWhole ? 'closed: the connection without a response' : undefined
    if (sent.status >= 500) return `status: ${sent.status}`
    const headers = checkHeaders(sent)
    if (headers) return headers
    return request.isRouted ? this.#judgeDeclared(request, sent) : this.#judgeOther(request, sent)
  }

  #judgeDeclared(
    { described: { operation, path, method }, raw }: FuzzRequest,
    sent: RawResponse,
  ): string | undefined {
    const declared = operation.responses[String(sent.status)]
    if (!declared) return `undeclared: status ${sent.status}`
    const content = declared.content
    if (raw.method === 'HEAD' || sent.status === 304) return undefined
    if (!content)
      return sent.body.length === 0 || sent.status === 416 ? undefined : 'body: there should be none'
    if (!content['application/json']) return checkType(Object.keys(content), sent)
    const at = [
      'paths',
      path,
      method,
      'responses',
      String(sent.status),
      'content',
      'application/json',
      'schema',
    ]
    return this.#checkJson(at, sent)
  }

  /** What reached no operation for sure: some answer of the interface, or an error record of either kind. */
  #judgeOther({ raw, described: { operation } }: FuzzRequest, sent: RawResponse): string | undefined {
    if (raw.method === 'HEAD' || sent.status < 400 || sent.status === 416) return undefined
    // A browser that goes to an address is shown a page.
    if (sent.status === 404 && typeOf(sent) === 'text/html') return undefined
    // It may have reached its operation all the same, and that refuses in Markdown.
    const declared = operation.responses[String(sent.status)]?.content
    if (typeOf(sent) === MARKDOWN && declared?.[MARKDOWN]) return undefined
    const { status_code: code } = parse(sent.body) as { status_code?: unknown }
    return this.#checkJson(['components', 'schemas', code === undefined ? 'V2Error' : 'V1Error'], sent)
  }

  #checkJson(at: string[], sent: RawResponse): string | undefined {
    if (sent.headers['content-type'] !== 'application/json')
      return `type: ${sent.headers['content-type']} is not application/json`
    const body = parse(sent.body)
    const check = this.#compile(at)
    if (!check(body)) {
      const [error] = check.errors ?? []
      const params = JSON.stringify(error?.params)
      return `schema: ${sent.status} ${error?.instancePath} ${error?.message} ${params}`
    }
    return sent.status >= 400 ? checkCode(sent.status, body as { code: string }) : undefined
  }

  #compile(at: string[]): ValidateFunction {
    const pointer = at
      .map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const known = this.#checks.get(pointer)
    if (known) return known
    const check = this.#ajv.compile({ $ref: `description#/${pointer}` })
    this.#checks.set(pointer, check)
    return check
  }
}

function typeOf({ headers }: RawResponse): string {
  return withoutParameters(headers['content-type'] ?? '')
}

function withoutParameters(type: string): string {
  return type.split(';')[0] ?? ''
}

function checkType(declared: readonly string[], sent: RawResponse): string | undefined {
  if (declared.some((type) => type === '*/*' || withoutParameters(type) === typeOf(sent))) return undefined
  return `type: ${typeOf(sent)} is not ${declared.join(' or ')}`
}

function checkHeaders({ status, headers }: RawResponse): string | undefined {
  if (status === 401 && headers['www-authenticate'] !== 'Bearer')
    return 'headers: 401 without WWW-Authenticate'
  if (status === 429 && !(Number(headers['retry-after']) >= 1)) return 'headers: 429 without Retry-After'
  return undefined
}

// Requests that Node refuses before the service sees them: too large or too slow headers.
const CONNECTION_STATUSES = [408, 431]

function checkCode(status: number, { code }: { code: string }): string | undefined {
  if (CONNECTION_STATUSES.includes(status)) return undefined
  return ERROR_STATUS[code as ErrorCode] === status ? undefined : `code: ${code} with status ${status}`
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown
  } catch {
    return {}
  }
}

/** The description is open to what later versions add; here a response has what it says, and nothing else. */
function closeObjects(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closeObjects)
  if (typeof value !== 'object' || value === null) return value
  const closed = Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, closeObjects(inner)]))
  const { type, properties, additionalProperties } = value as JsonSchema
  const isClosable = type === 'object' && properties !== undefined && additionalProperties === undefined
  return isClosable ? { ...closed, additionalProperties: false } : closed
}
