const BASE_DELAY_MS = 250
const MAX_DELAY_MS = 10_000

/** True for the answers that are worth another try: 408, 429 and every 5xx. */
export function isWorthRetrying(statusCode: number): boolean {
  return statusCode === 408 || statusCode === 429 || statusCode >= 500
}

/** True for answers of a service, or of something before it, that has perhaps done what it was asked. 503 says that it has not. */
export function mayHaveBeenDone(statusCode: number): boolean {
  return statusCode >= 500 && statusCode !== 501 && statusCode !== 503
}

/**
 * How long to wait before a retry, in milliseconds: what `Retry-After` says (seconds or a date), else an
 * exponential back-off of which a random half is taken off. `retry` counts from 1, `random` is in [0, 1).
 */
export function deriveRetryDelayMs(
  retry: number,
  { retryAfter, random, nowMs }: { retryAfter: string | undefined; random: number; nowMs: number },
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
