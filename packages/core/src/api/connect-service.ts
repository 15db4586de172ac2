import { type Client, createClient } from '@runledger/protocol'
import type { Environment, Options } from '../config/options'
import { requireService, resolveOptions } from '../config/resolve-options'
import { ApiError } from '../model/errors'
import { createQueuedTransport, openConnection } from '../transport/connection'
import { createRetryingTransport } from '../transport/retrying-transport'
import { parseJson } from '../util/text'
import { createJsonRequest, expectSuccess } from './json-exchange'

export interface ServiceSettings {
  options: Options
  env: Environment
  /** The nearest credentials file is looked for from this folder upward. */
  projectRoot: string
}

/** A connection to a service. */
export interface Service {
  /** Every operation of the interface. Each throws ApiError for a refusal, and NetworkError when no response comes. */
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
  const resolved = requireService(resolveOptions(options, env, projectRoot), 'ask')
  const { url, apiKey, maxRetries, requestTimeoutMs } = resolved
  const { transport: inner, limit } = await openConnection(resolved, env)
  const deadlineAtMs = Date.now() + DEADLINE_MS
  const retrying = createRetryingTransport(inner, { maxRetries, deadlineAtMs })
  const transport = createQueuedTransport(retrying, limit)
  const client = createClient(async ({ method, path, body, headers, signal }) => {
    const json = body === undefined ? undefined : JSON.stringify(body)
    const request = {
      ...createJsonRequest({ url, apiKey }, { method, path, headers, body: json }),
      // What creates something is sent once: whether a request without a response was done cannot be known.
      isUnsafeToRepeat: method === 'POST',
      timeoutMs: requestTimeoutMs,
      signal: signal ?? new AbortController().signal,
    }
    const response = expectSuccess(request, await transport.send(request), apiKey)
    const found = parseJson(response.body)
    if (found === undefined) throw new ApiError(`${method} ${path} answered no JSON`, response.statusCode)
    return found
  })
  return { client, url, close: () => transport.close() }
}
