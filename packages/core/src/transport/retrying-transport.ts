import { setMaxListeners } from 'node:events'
import { NetworkError } from '../model/errors'
import { wait } from '../util/time-limit'
import type { Transport, TransportRequest, TransportResponse } from './transport'

export interface RetryPolicy {
  maxRetries: number
  deadlineAtMs: number
  /** A longer `Retry-After` ends the retries, in milliseconds. */
  longestWaitMs?: number | undefined
}

/**
 * Retries a request without a response, 408, 429 and 5xx but 501, if the wait fits the deadline and may help. Once a
 * request has used up its tries, others get one each until the service works again: hundreds of suites do not wait for a
 * service that is down.
 */
export function createRetryingTransport(inner: Transport, policy: RetryPolicy): Transport {
  const state: State = { isDown: false, closing: new AbortController() }
  // Every waiting request listens, and there may be many.
  setMaxListeners(0, state.closing.signal)
  return {
    send: (request) => sendWithRetries(inner, { ...policy, state }, request),
    close: () => {
      state.closing.abort()
      return inner.close()
    },
  }
}

interface State {
  isDown: boolean
  closing: AbortController
}

async function sendWithRetries(
  inner: Transport,
  { maxRetries, deadlineAtMs, longestWaitMs = Infinity, state }: RetryPolicy & { state: State },
  request: TransportRequest,
): Promise<TransportResponse> {
  for (let retry = 1; ; retry += 1) {
    const response = await inner.send(request)
    if (response.kind === 'unsendable') return response
    if (!isOutage(response)) state.isDown = false
    if (response.kind === 'response' && !isWorthRetrying(response.statusCode)) return response
    const stops = [request.signal, state.closing.signal]
    if (stops.some(({ aborted }) => aborted) || state.isDown) return response
    if (request.isUnsafeToRepeat && isAmbiguous(response)) return response
    if (retry > maxRetries || (response.kind === 'no-response' && response.error.isLasting)) {
      state.isDown = isOutage(response)
      return response
    }
    const retryAfter = response.kind === 'response' ? response.retryAfter : undefined
    const delayMs = deriveRetryDelayMs(retry, { retryAfter })
    if (delayMs > longestWaitMs || Date.now() + delayMs >= deadlineAtMs) return response
    await wait(delayMs, ...stops)
    if (stops.some(({ aborted }) => aborted)) return response
  }
}

function isOutage(response: TransportResponse): boolean {
  return (
    response.kind === 'no-response' ||
    (response.kind === 'response' && response.statusCode >= 500 && isWorthRetrying(response.statusCode))
  )
}

function isAmbiguous(response: TransportResponse): boolean {
  if (response.kind === 'response') return mayHaveBeenDone(response.statusCode)
  return response.error instanceof NetworkError && response.error.wasSent
}

const BASE_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** True for 408, 429 and 5xx but 501, which a retry cannot change. */
export function isWorthRetrying(statusCode: number): boolean {
  return statusCode === 408 || statusCode === 429 || (statusCode >= 500 && statusCode !== 501)
}

/** True if the service may still have done it, as with a proxy's 5xx. 501 and 503 say that it has not. */
export function mayHaveBeenDone(statusCode: number): boolean {
  return statusCode >= 500 && statusCode !== 501 && statusCode !== 503
}

/**
 * `Retry-After` (seconds or a date), else exponential back-off less a random part, at most half. `retry` counts from 1,
 * `random` is in [0, 1).
 */
export function deriveRetryDelayMs(
  retry: number,
  {
    retryAfter,
    random = Math.random(),
    nowMs = Date.now(),
  }: { retryAfter?: string | undefined; random?: number; nowMs?: number } = {},
): number {
  const asked = parseRetryAfterMs(retryAfter, nowMs)
  if (asked !== undefined) return asked
  const delayMs = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (retry - 1))
  return Math.round(delayMs * (1 - random / 2))
}

function parseRetryAfterMs(retryAfter: string | undefined, nowMs: number): number | undefined {
  if (retryAfter === undefined) return undefined
  if (/^\s*\d+\s*$/.test(retryAfter)) return Number(retryAfter) * 1000
  const dateMs = Date.parse(retryAfter)
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}
