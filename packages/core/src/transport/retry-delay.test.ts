import { expect, it } from 'vitest'
import { deriveRetryDelayMs, isWorthRetrying } from './retry-delay'

const none = { retryAfter: undefined, random: 0, nowMs: 0 }

it('retries 408, 429 and 5xx, and no other answer', () => {
  const retried = [200, 301, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 502, 503, 504].filter(
    isWorthRetrying,
  )
  expect(retried).toEqual([408, 429, 500, 502, 503, 504])
})

it('doubles the delay, up to ten seconds, and takes off a random half', () => {
  expect([1, 2, 3, 7, 50].map((retry) => deriveRetryDelayMs(retry, none))).toEqual([
    250, 500, 1000, 10_000, 10_000,
  ])
  expect(deriveRetryDelayMs(1, { ...none, random: 0.999 })).toBe(125)
})

it('obeys Retry-After in seconds and as a date', () => {
  expect(deriveRetryDelayMs(1, { ...none, retryAfter: '7' })).toBe(7000)
  const nowMs = Date.UTC(2026, 0, 1)
  expect(deriveRetryDelayMs(1, { ...none, nowMs, retryAfter: 'Thu, 01 Jan 2026 00:00:05 GMT' })).toBe(5000)
  expect(deriveRetryDelayMs(1, { ...none, nowMs, retryAfter: 'Wed, 31 Dec 2025 00:00:05 GMT' })).toBe(0)
  expect(deriveRetryDelayMs(1, { ...none, retryAfter: 'soon' })).toBe(250)
})
