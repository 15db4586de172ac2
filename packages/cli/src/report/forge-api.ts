import {
  deriveRetryDelayMs,
  openConnection,
  parseJson,
  resolveOptions,
  toPlainLine,
  type Transport,
  type TransportResponse,
} from '@runledger/core/tools'
import * as z from 'zod'
import type { Deadline } from '../clock'
import type { CommandContext } from '../command-context'

/** The forge refuses the request. A retry does not help. */
export class RefusedError extends Error {
  override name = 'RefusedError'
  constructor(
    message: string,
    readonly statusCode?: number,
  ) {
    super(message)
  }
}

/** The forge is busy or does not respond. A later retry may help. */
export class BusyError extends Error {
  override name = 'BusyError'
  constructor(
    message: string,
    readonly waitMs?: number,
  ) {
    super(message)
  }
}

export interface ForgeRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Replaces the address of the API. The token is sent to this address, too. */
  address?: string
  path: string
  body?: object
}

export interface ForgeApi {
  /** @throws RefusedError, BusyError */
  ask<Schema extends z.ZodType>(request: ForgeRequest, schema: Schema): Promise<z.output<Schema>>
  /** Yields the items of all pages of a list. @throws RefusedError, BusyError */
  askPages<Item extends z.ZodType>(path: string, item: Item): AsyncGenerator<z.output<Item>>
  close(): Promise<void>
}

export interface ApiAddress {
  url: string
  token: string
  /** One of them contains the token. */
  headers: Record<string, string>
}

/** Uses the reporters' settings for proxies and certificate authorities. Follows no redirects. @throws ConfigError */
export async function openForgeApi(address: ApiAddress, { env, cwd }: CommandContext): Promise<ForgeApi> {
  const { caFile } = resolveOptions({}, env, cwd)
  const certificates = { caFile, clientCertFile: undefined, clientKeyFile: undefined }
  const { transport } = await openConnection({ ...certificates, concurrency: 1, identity: undefined }, env)
  const send = (request: ForgeRequest) => exchange(transport, address, request)
  return {
    ask: async (request, schema) => parse(await send(request), schema, request),
    askPages: async function* (path, item) {
      for (let page = 1; ; page += 1) {
        const request = { method: 'GET' as const, path: `${path}&per_page=${PER_PAGE}&page=${page}` }
        const response = await send(request)
        const items = parse(response, z.array(item), request)
        yield* items
        if (!hasNext(response, items.length)) return
      }
    },
    close: () => transport.close(),
  }
}

const PER_PAGE = 100
const TIMEOUT_MS = 20_000
/** Enough for a page of comments of GitHub's maximum length. */
const MAX_BYTES = 32 * 1024 * 1024

type Response = TransportResponse & { kind: 'response' }

async function exchange(
  transport: Transport,
  { url, headers, token }: ApiAddress,
  request: ForgeRequest,
): Promise<Response> {
  const { method, address = url, path, body } = request
  const answer = await transport.send({
    method,
    url: address.replace(/\/+$/, '') + path,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
    timeoutMs: TIMEOUT_MS,
    maxResponseBytes: MAX_BYTES,
    signal: new AbortController().signal,
  })
  if (answer.kind === 'unsendable') throw new RefusedError(answer.error.message)
  if (answer.kind === 'no-response')
    throw answer.error.isLasting
      ? new RefusedError(answer.error.message)
      : new BusyError(answer.error.message)
  if (answer.statusCode >= 200 && answer.statusCode <= 299) return answer
  const said = toPlainLine(readMessage(answer.body).replaceAll(token, '…')).slice(0, MAX_SAID)
  throw toError(`${method} ${path.split('?', 1)[0]} answered ${answer.statusCode}: ${said}`, answer)
}

const MAX_SAID = 300

function readMessage(body: string): string {
  const { message } = MessageSchema.safeParse(parseJson(body)).data ?? {}
  return message === undefined
    ? 'no message'
    : typeof message === 'string'
      ? message
      : JSON.stringify(message)
}

const MessageSchema = z.object({ message: z.unknown() })

function parse<Schema extends z.ZodType>(
  { body }: Response,
  schema: Schema,
  { method, path }: ForgeRequest,
): z.output<Schema> {
  const parsed = schema.safeParse(parseJson(body))
  if (parsed.success) return parsed.data
  throw new RefusedError(`${method} ${path.split('?', 1)[0]} answered something else than its API says`)
}

function hasNext({ headers }: Response, count: number): boolean {
  const link = headers?.['link']
  return link === undefined ? count === PER_PAGE : /rel="?next\b/.test(String(link))
}

/** GitHub answers 403 both to a forbidden request and above its rate limit. */
function toError(message: string, response: Response): Error {
  const { statusCode, retryAfter, headers = {}, date = '' } = response
  const [remaining, reset] = ['remaining', 'reset'].map(
    (name) => headers[`x-ratelimit-${name}`] ?? headers[`ratelimit-${name}`],
  )
  const isLimit =
    statusCode === 429 || (statusCode === 403 && (retryAfter !== undefined || remaining === '0'))
  if (!isLimit && statusCode !== 408 && statusCode < 500) return new RefusedError(message, statusCode)
  const nowMs = Date.parse(date) || Date.now()
  if (retryAfter !== undefined)
    return new BusyError(message, deriveRetryDelayMs(1, { retryAfter, random: 0, nowMs }))
  if (!isLimit) return new BusyError(message)
  return new BusyError(message, remaining === '0' ? Number(reset) * 1000 - nowMs || LIMIT_MS : LIMIT_MS)
}

/** The wait that GitHub recommends if a rate limit does not say when it ends. */
const LIMIT_MS = 60_000

const MAX_RETRIES = 8
const LEAST_WAIT_MS = 1_000

/** Retries while the forge is busy, until the deadline. @throws RefusedError, BusyError */
export async function persist<Result>(
  act: () => Promise<Result>,
  { clock, endMs }: Deadline,
): Promise<Result> {
  for (let retry = 1; ; retry += 1) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof BusyError) || retry > MAX_RETRIES) throw error
      const backOffMs = deriveRetryDelayMs(retry, { random: 0 })
      const waitMs = Math.max(error.waitMs ?? backOffMs, LEAST_WAIT_MS)
      if (clock.nowMs() + waitMs > endMs) throw error
      await clock.sleep(waitMs)
    }
  }
}
