import { NetworkError } from '../model/errors'
import { deriveRetryDelayMs, isWorthRetrying, mayHaveBeenDone } from './retry-delay'
import { wait } from '../util/time-limit'
import type { Transport, TransportRequest, TransportResponse } from './transport'

export interface RetryPolicy {
  /** Tries beyond the first. */
  maxRetries: number
  /** When everything must be over, in milliseconds since the Unix epoch. */
  deadlineAtMs: number
  /** A service that asks for a longer wait is not waited for, in milliseconds. */
  longestWaitMs?: number
  /** No wait keeps the process alive. */
  isBackground?: boolean
}

/**
 * Repeats what got no answer, 408, 429 or 5xx, as long as the wait before the retry fits the deadline. Once a service
 * has let down all tries of a request, others get one try each until it answers again: hundreds of suites do not wait
 * for a service that is down.
 */
export function createRetryingTransport(inner: Transport, policy: RetryPolicy): Transport {
  const health: Health = { isDown: false, isClosed: false }
  return {
    send: (request) => sendWithRetries(inner, { ...policy, health }, request),
    close: () => {
      health.isClosed = true
      return inner.close()
    },
  }
}

interface Health {
  isDown: boolean
  /** Nothing is tried again. */
  isClosed: boolean
}

async function sendWithRetries(
  inner: Transport,
  {
    maxRetries,
    deadlineAtMs,
    longestWaitMs = Infinity,
    isBackground = false,
    health,
  }: RetryPolicy & { health: Health },
  request: TransportRequest,
): Promise<TransportResponse> {
  for (let retry = 1; ; retry += 1) {
    const response = await inner.send(request)
    if (response.kind === 'unsendable') return response
    if (!isOutage(response)) health.isDown = false
    if (response.kind === 'answer' && !isWorthRetrying(response.statusCode)) return response
    if (request.signal.aborted || health.isDown || health.isClosed) return response
    if (request.isUnsafeToRepeat && isAmbiguous(response)) return response
    if (retry > maxRetries) {
      health.isDown = isOutage(response)
      return response
    }
    const retryAfter = response.kind === 'answer' ? response.retryAfter : undefined
    const delayMs = deriveRetryDelayMs(retry, { retryAfter, random: Math.random(), nowMs: Date.now() })
    if (delayMs > longestWaitMs || Date.now() + delayMs >= deadlineAtMs) return response
    await wait(delayMs, request.signal, isBackground)
    if (request.signal.aborted || health.isClosed) return response
  }
}

function isOutage(response: TransportResponse): boolean {
  return response.kind === 'no-answer' || (response.kind === 'answer' && response.statusCode >= 500)
}

function isAmbiguous(response: TransportResponse): boolean {
  if (response.kind === 'answer') return mayHaveBeenDone(response.statusCode)
  return response.error instanceof NetworkError && response.error.wasSent
}
