import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { rootCertificates } from 'node:tls'
import type * as undiciModule from 'undici'
import type { Dispatcher } from 'undici'
import { ConfigError, describeError, NetworkError } from '../errors'
import { withoutQuery } from '../redact'
import type { RequestBody, Transport, TransportRequest, TransportResponse } from './transport'

/** Longest answer that is read, in bytes: what the interface answers is far shorter. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024
const READ_BYTES = 256 * 1024
const CLOSE_TIMEOUT_MS = 250

type Undici = typeof undiciModule

/**
 * A transport on undici's own connection pool: request mockers in the user's tests cannot touch it, nor it their
 * `fetch`. Honours HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
 * @throws ConfigError when the CA file cannot be read.
 */
export async function createUndiciTransport(options: {
  caFile: string | undefined
  connections: number
}): Promise<Transport> {
  const ca = await readAuthorities(options.caFile)
  const undici = await importUndici()
  const dispatcher = new undici.EnvHttpProxyAgent({
    connections: options.connections,
    ...(ca === undefined ? {} : { connect: { ca }, requestTls: { ca } }),
  })
  return {
    send: (request) => sendRequest(undici, dispatcher, request),
    close: () => closeDispatcher(dispatcher),
  }
}

// undici shares a global symbol with Node's built-in fetch. The one that loads first sets it, and on Node 20 and 22
// the built-in fetch breaks on a newer undici's: naming Headers makes Node load its own first.
async function importUndici(): Promise<Undici> {
  return typeof globalThis.Headers === 'function'
    ? import('undici')
    : Promise.reject(new Error('this Node has no fetch'))
}

async function readAuthorities(caFile: string | undefined): Promise<string[] | undefined> {
  if (caFile === undefined) return undefined
  try {
    return [...rootCertificates, await readFile(caFile, 'utf8')]
  } catch (error) {
    throw new ConfigError(
      `option caFile (RUNLEDGER_CA_FILE) cannot be read: ${describeError(error)}: use the path of a PEM file.`,
    )
  }
}

async function sendRequest(
  undici: Undici,
  dispatcher: Dispatcher,
  request: TransportRequest,
): Promise<TransportResponse> {
  try {
    const answer = await undici.request(request.url, {
      dispatcher,
      method: request.method,
      headers: { ...request.headers, ...lengthHeader(request.body) },
      body: openBody(request.body),
      signal: request.signal,
      headersTimeout: request.timeoutMs,
      bodyTimeout: request.timeoutMs,
    })
    const { 'retry-after': retryAfter } = answer.headers
    return {
      kind: 'answer',
      statusCode: answer.statusCode,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      body: await readAnswer(answer.body),
    }
  } catch (error) {
    return { kind: 'no-answer', error: toNetworkError(error, request) }
  }
}

function lengthHeader(body: RequestBody | undefined): Record<string, string> {
  return typeof body === 'object' && 'path' in body ? { 'content-length': String(body.sizeBytes) } : {}
}

function openBody(body: RequestBody | undefined): NonNullable<Dispatcher.DispatchOptions['body']> | null {
  if (body === undefined || typeof body === 'string') return body ?? null
  if (!('path' in body)) return body
  return body.sizeBytes === 0 ? null : openFile(body)
}

// Opened when undici begins to read, so that a request that never starts leaves no open file; `end` keeps a file that
// is still growing to the length that was announced.
function openFile({
  path,
  sizeBytes,
}: {
  path: string
  sizeBytes: number
}): AsyncIterable<Uint8Array> & Dispatcher.DispatchOptions['body'] {
  const open = () => createReadStream(path, { end: sizeBytes - 1, highWaterMark: READ_BYTES })
  return { [Symbol.asyncIterator]: () => open()[Symbol.asyncIterator]() } as never
}

async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function toNetworkError(error: unknown, { method, url, signal }: TransportRequest): NetworkError {
  const cause = signal.aborted ? 'the deadline was reached' : describeCause(error)
  return new NetworkError(`no answer from ${method} ${withoutQuery(url)}: ${cause}`, { cause: error })
}

// A refused connection to a name with several addresses is an AggregateError with an empty message.
function describeCause(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | undefined)?.code
  const message = describeError(error)
  return code === undefined || message.includes(code) ? message : `${code} ${message}`
}

async function closeDispatcher(dispatcher: Dispatcher): Promise<void> {
  const timer = setTimeout(() => void dispatcher.destroy().catch(() => undefined), CLOSE_TIMEOUT_MS)
  await dispatcher.close().catch(() => undefined)
  clearTimeout(timer)
}
