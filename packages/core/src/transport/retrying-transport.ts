import { deriveRetryDelayMs, isWorthRetrying } from './retry-delay'
import type { Transport, TransportRequest, TransportResponse } from './transport'

export interface RetryPolicy {
  /** Tries beyond the first. */
  maxRetries: number
  /** When everything must be over, in milliseconds since the Unix epoch. */
  deadlineAtMs: number
}

/** Repeats what got no answer, 408, 429 or 5xx, as long as the wait before the retry fits the deadline. */
export function createRetryingTransport(inner: Transport, policy: RetryPolicy): Transport {
  return {
    send: (request) => sendWithRetries(inner, policy, request),
    close: () => inner.close(),
  }
}

async function sendWithRetries(
  inner: Transport,
  { maxRetries, deadlineAtMs }: RetryPolicy,
  request: TransportRequest,
): Promise<TransportResponse> {
  for (let retry = 1; ; retry += 1) {
    const response = await inner.send(request)
    if (response.kind === 'answer' && !isWorthRetrying(response.statusCode)) return response
    if (retry > maxRetries || request.signal.aborted) return response
    const retryAfter = response.kind === 'answer' ? response.retryAfter : undefined
    const delayMs = deriveRetryDelayMs(retry, { retryAfter, random: Math.random(), nowMs: Date.now() })
    if (Date.now() + delayMs >= deadlineAtMs) return response
    await wait(delayMs, request.signal)
    if (request.signal.aborted) return response
  }
}

/** Waits, or returns at once when the signal aborts. */
function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, delayMs)
    signal.addEventListener('abort', finish)
  })
}
