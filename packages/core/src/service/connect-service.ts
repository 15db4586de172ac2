import pLimit from 'p-limit'
import { type Client, type ClientRequest, createClient } from '@runledger/protocol'
import { hideKey, toApiError } from '../delivery/service-client'
import { ApiError, ConfigError } from '../model/errors'
import type { Environment, Options } from '../config/options'
import { resolveOptions } from '../config/resolve-options'
import { parseJson } from '../util/parse-json'
import { createBoundedTransport } from '../transport/bounded-transport'
import { createRetryingTransport } from '../transport/retrying-transport'
import { createTransport } from '../transport/create-transport'
import type { TransportRequest } from '../transport/transport'

export interface ServiceSettings {
  options: Options
  env: Environment
  /** The nearest credentials file is looked for from this folder upward. */
  projectRoot: string
}

/** A connection to a service. */
export interface Service {
  /** Every operation of the interface. Each throws ApiError for a refusal, and NetworkError when no answer comes. */
  client: Client
  url: string
  close(): Promise<void>
}

// Retries of a request end by their number; this is the longest that all of them together may take.
const DEADLINE_MS = 10 * 60 * 1000

/**
 * Binds the client of the whole interface to a service, by the address and the key that a reporter would use.
 * @throws ConfigError when there is no address or no key, or an option makes no sense.
 */
export async function connectService({ options, env, projectRoot }: ServiceSettings): Promise<Service> {
  const resolved = resolveOptions(options, env, projectRoot)
  const { url, apiKey, concurrency, maxRetries, requestTimeoutMs } = resolved
  if (apiKey === undefined || url === undefined) throw new ConfigError(NO_SERVICE)
  const inner = await createTransport({ tlsFiles: resolved, connections: concurrency, env })
  const deadlineAtMs = Date.now() + DEADLINE_MS
  const retrying = createRetryingTransport(inner, { maxRetries, deadlineAtMs })
  const transport = createBoundedTransport(retrying, pLimit(concurrency))
  const client = createClient(async (asked) => {
    const request = createTransportRequest(asked, { url, apiKey, timeoutMs: requestTimeoutMs })
    const response = await transport.send(request)
    if (response.kind !== 'answer') throw response.error
    const { statusCode } = response
    const body = hideKey(response.body, apiKey)
    if (statusCode < 200 || statusCode > 299) throw await toApiError(request, { ...response, body })
    const found = parseJson(response.body)
    if (found === undefined) throw new ApiError(`${asked.method} ${asked.path} answered no JSON`, statusCode)
    return found
  })
  return { client, url, close: () => transport.close() }
}

const NO_SERVICE =
  'no service to ask: set RUNLEDGER_URL and RUNLEDGER_API_KEY, or start a service in this folder: npx runledger serve'

interface Address {
  url: string
  apiKey: string
  timeoutMs: number
}

function createTransportRequest(
  { method, path, body, headers, signal }: ClientRequest,
  { url, apiKey, timeoutMs }: Address,
): TransportRequest {
  return {
    method,
    url: url.replace(/\/+$/, '') + path,
    headers: {
      authorization: `Bearer ${apiKey}`,
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    // What creates something is sent once: whether a request without an answer was done cannot be known.
    isUnsafeToRepeat: method === 'POST',
    timeoutMs,
    signal: signal ?? new AbortController().signal,
  }
}
