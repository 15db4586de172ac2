import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { NetworkError } from '../model/errors'
import {
  createRetryingTransport,
  deriveRetryDelayMs,
  isWorthRetrying,
  type RetryPolicy,
} from './retrying-transport'
import type { Transport, TransportRequest, TransportResponse } from './transport'

const respond = (statusCode: number, retryAfter?: string): TransportResponse => {
  return { kind: 'response', statusCode, retryAfter, body: '' }
}
const noResponse = (wasSent: boolean, cause?: object): TransportResponse => {
  return { kind: 'no-response', error: new NetworkError('no response', wasSent, { cause }) }
}
const refused = (address: string) => Object.assign(new Error('refused'), { code: 'ECONNREFUSED', address })
const IMMEDIATELY = '0'
const OK = respond(200)

/** Gives these responses one after the other, the last one for ever. */
function open(responses: TransportResponse[], policy: Partial<RetryPolicy> = {}) {
  let tries = 0
  const inner: Transport = {
    send: async () => responses[Math.min(tries++, responses.length - 1)] as TransportResponse,
    close: async () => undefined,
  }
  const transport = createRetryingTransport(inner, { maxRetries: 3, deadlineAtMs: Infinity, ...policy })
  return { transport, countTries: () => tries }
}

function createRequest(request: Partial<TransportRequest> = {}): TransportRequest {
  const { signal } = new AbortController()
  return { method: 'POST', url: 'http://a.example', headers: {}, timeoutMs: 1_000, signal, ...request }
}

it.each([
  ['a response', OK, 1],
  ['a refusal', respond(404), 1],
  ['a request that cannot be sent', { ...noResponse(false), kind: 'unsendable' } as TransportResponse, 1],
  ['429', respond(429, IMMEDIATELY), 4],
  ['503', respond(503, IMMEDIATELY), 4],
  ['501', respond(501, IMMEDIATELY), 1],
])('%s takes this many tries: %s', async (_, response, expected) => {
  const { transport, countTries } = open([response])
  expect(await transport.send(createRequest())).toBe(response)
  expect(countTries()).toBe(expected)
})

it.each([
  ['nothing listens on this machine', refused('127.0.0.1'), 1],
  [
    'nor on its other address',
    Object.assign(refused(''), { errors: [refused('::1'), refused('127.0.0.1')] }),
    1,
  ],
  ['nothing listens on another machine', refused('10.0.0.7'), 4],
  ['there is no such host', { code: 'ENOTFOUND' }, 1],
  ['its name cannot be asked for at the moment', { code: 'EAI_AGAIN' }, 4],
  ['the certificate has expired', { code: 'CERT_HAS_EXPIRED' }, 1],
  ['the certificate is for another host', { code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 1],
  ['the connection is reset', { code: 'ECONNRESET' }, 4],
])('tries once what no wait mends: %s', async (_, cause, expected) => {
  const { transport, countTries } = open([noResponse(false, cause)])
  await transport.send(createRequest())
  expect(countTries()).toBe(expected)
  await transport.send(createRequest())
  expect(countTries(), 'the next request has one try').toBe(expected + 1)
})

it.each([
  [noResponse(false), 2],
  [noResponse(true), 1],
  [respond(503, IMMEDIATELY), 2],
  [respond(502, IMMEDIATELY), 1],
])('retries what is unsafe to repeat only when it was not carried out: %j', async (first, expected) => {
  const { transport, countTries } = open([first, OK])
  await transport.send(createRequest({ isUnsafeToRepeat: true }))
  expect(countTries()).toBe(expected)
})

it('gives each request one try once a service has failed all tries of one, until it responds again', async () => {
  const down = respond(503, IMMEDIATELY)
  const { transport, countTries } = open([down, down, down, down, down, OK, down])
  await transport.send(createRequest())
  expect(countTries()).toBe(4)
  await transport.send(createRequest())
  expect(countTries()).toBe(5)
  await transport.send(createRequest())
  await transport.send(createRequest())
  expect(countTries()).toBe(10)
})

it.each([
  ['the deadline', { deadlineAtMs: Date.now() + 5_000 }],
  ['the longest wait', { longestWaitMs: 5_000 }],
])('does not wait beyond %s', async (_, policy) => {
  const { transport, countTries } = open([respond(429, '10')], policy)
  expect(await transport.send(createRequest())).toMatchObject({ statusCode: 429 })
  expect(countTries()).toBe(1)
})

it.each(['its signal aborts', 'the transport is closed'])('ends a wait when %s', async (what) => {
  const { transport, countTries } = open([respond(429, '10')])
  const deadline = new AbortController()
  void setTimeout(20).then(() => (what === 'its signal aborts' ? deadline.abort() : transport.close()))
  expect(await transport.send(createRequest({ signal: deadline.signal }))).toMatchObject({ statusCode: 429 })
  expect(countTries()).toBe(1)
})

it('lets many requests wait without a warning of Node’s on the terminal', async () => {
  const warned: string[] = []
  const note = ({ message }: Error): void => void warned.push(message)
  process.on('warning', note)
  const { transport } = open([respond(429, '10')])
  const waiting = Array.from({ length: 12 }, () => transport.send(createRequest()))
  await setTimeout(20)
  await transport.close()
  await Promise.all(waiting)
  await setTimeout(0)
  process.off('warning', note)
  expect(warned).toEqual([])
})

const none = { retryAfter: undefined, random: 0, nowMs: 0 }

it('retries 408, 429 and 5xx but 501, and no other answer', () => {
  const retried = [
    200, 301, 400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 500, 501, 502, 503, 504,
  ].filter(isWorthRetrying)
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
