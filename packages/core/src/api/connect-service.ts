import { type Client, createClient } from '@runledger/protocol'
import type { Environment, Options } from '../config/options'
import { requireService, resolveOptions, type ServiceIdentity } from '../config/resolve-options'
import { ApiError } from '../model/errors'
import { createQueuedTransport, openConnection, type QueuedRequest } from '../transport/connection'
import { createRetryingTransport } from '../transport/retrying-transport'
import { printWarning } from '../util/print-warning'
import { parseJson } from '../util/text'
import { createJsonRequest, expectSuccess, type Response } from './json-exchange'

export interface ServiceSettings {
  options: Options
  env: Environment
  /** Credentials are searched for from this folder upward. */
  projectRoot: string
  identity?: ServiceIdentity | undefined
  /** In milliseconds. If the service asks to wait longer, the request fails at once. */
  longestWaitMs?: number
}

export interface Service {
  client: Client
  url: string
  /** A page of the service as text, such as `/runs/<id>.md`. */
  readPage(path: string): Promise<string>
  /** Reads bytes of an attachment by its `download_url`, which is signed: the key is not sent there. */
  readBytes(url: string, range: ByteRange): Promise<string>
  /** Sends bytes to the upload address of an attachment, which is signed: the key is not sent there. */
  putBytes(uploadUrl: string, bytes: Uint8Array, contentType: string): Promise<void>
  /** How far the service's clock is ahead, by its last response. */
  readClockLeadMs(): number | undefined
  close(): Promise<void>
}

export interface ByteRange {
  start: number
  end: number
}

// The longest time for all retries of a request together.
const DEADLINE_MS = 10 * 60 * 1000

/** Connects the client of the whole interface to a service. @throws ConfigError */
export async function connectService(settings: ServiceSettings): Promise<Service> {
  const { options, env, projectRoot, longestWaitMs } = settings
  const resolved = requireService(resolveOptions(options, env, projectRoot), 'ask')
  for (const sentence of resolved.ignored) printWarning(sentence)
  const { url, apiKey, maxRetries, requestTimeoutMs } = resolved
  const { transport: inner, limit } = await openConnection(
    { ...resolved, identity: settings.identity ?? resolved.identity },
    env,
  )
  const deadlineAtMs = Date.now() + DEADLINE_MS
  const retrying = createRetryingTransport(inner, { maxRetries, deadlineAtMs, longestWaitMs })
  const transport = createQueuedTransport(retrying, limit)
  let leadMs: number | undefined
  const exchange = async ({ signal, ...request }: Exchange) => {
    const answer = await transport.send({
      ...request,
      // A creation is sent once: without a response, we cannot know whether it was done.
      isUnsafeToRepeat: request.method === 'POST',
      timeoutMs: requestTimeoutMs,
      signal: signal ?? new AbortController().signal,
    })
    if (answer.kind === 'response') leadMs = findClockLead(answer.date)
    return expectSuccess(request, answer, apiKey)
  }
  const client = createClient(async ({ method, path, body, headers, signal }) => {
    const json = body === undefined ? undefined : JSON.stringify(body)
    const request = createJsonRequest({ url, apiKey }, { method, path, headers, body: json })
    const response = await exchange({ ...request, signal })
    const found = parseJson(response.body)
    if (found === undefined) throw new ApiError(`${method} ${path} answered no JSON`, response.statusCode)
    return found
  })
  return {
    client,
    url,
    readPage: async (path) => {
      const headers = { accept: 'text/markdown, text/plain;q=0.9' }
      return (await exchange(createJsonRequest({ url, apiKey }, { method: 'GET', path, headers }))).body
    },
    readBytes: async (address, range) => {
      const headers = { range: `bytes=${range.start}-${range.end}` }
      return cutBytes(await exchange({ method: 'GET', url: address, headers }), range)
    },
    putBytes: async (uploadUrl, body, contentType) => {
      const address = new URL(uploadUrl, url).href
      await exchange({ method: 'PUT', url: address, headers: { 'content-type': contentType }, body })
    },
    readClockLeadMs: () => leadMs,
    close: () => transport.close(),
  }
}

type Exchange = Pick<QueuedRequest, 'method' | 'url' | 'headers' | 'body'> & {
  signal?: AbortSignal | undefined
}

/** A store that knows no ranges sends everything. */
function cutBytes({ statusCode, body }: Response, { start, end }: ByteRange): string {
  return statusCode === 206
    ? body
    : Buffer.from(body)
        .subarray(start, end + 1)
        .toString()
}

/** The header says whole seconds, which is near enough. */
function findClockLead(date = ''): number | undefined {
  const atMs = Date.parse(date)
  return Number.isNaN(atMs) ? undefined : atMs - Date.now()
}
