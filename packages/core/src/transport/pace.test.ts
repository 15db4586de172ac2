import { setTimeout as wait } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { Pace } from './pace'
import type { Transport, TransportRequest, TransportResponse } from './transport'

const REQUEST: TransportRequest = {
  method: 'GET',
  url: 'http://x.example',
  headers: {},
  timeoutMs: 1_000,
  signal: new AbortController().signal,
}

interface Answer {
  statusCode: number
  afterMs?: number
}

/** Sends `count` requests that all get this response; returns the limit afterwards. */
async function send(pace: Pace, count: number, { statusCode, afterMs = 1 }: Answer): Promise<number> {
  const inner: Transport = {
    send: async (): Promise<TransportResponse> => {
      await wait(afterMs)
      return { kind: 'response', statusCode, retryAfter: undefined, body: '' }
    },
    close: () => Promise.resolve(),
  }
  const transport = pace.watch(inner)
  await Promise.all(Array.from({ length: count }, () => pace.limit(() => transport.send(REQUEST))))
  return pace.limit.concurrency
}

it('begins with eight requests, and has one more for each quick answer, up to the most', async () => {
  const pace = new Pace(32)
  expect(pace.limit.concurrency).toBe(8)
  expect(await send(pace, 5, { statusCode: 200 })).toBe(13)
  expect(await send(pace, 100, { statusCode: 404 })).toBe(32)
  expect(new Pace(3).limit.concurrency).toBe(3)
})

it('has no more where answers take longer and longer', async () => {
  const pace = new Pace(32)
  await send(pace, 1, { statusCode: 200 })
  expect(await send(pace, 20, { statusCode: 200, afterMs: 120 })).toBe(9)
})

it.each([429, 503])('is halved once for requests that were under way together: %i', async (statusCode) => {
  const pace = new Pace(32)
  expect(await send(pace, 8, { statusCode })).toBe(4)
  for (let round = 0; round < 5; round += 1) await send(pace, 1, { statusCode })
  expect(pace.limit.concurrency).toBe(1)
  // From then on it grows by one in each round of answers.
  expect(await send(pace, 1, { statusCode: 200 })).toBe(2)
  expect(await send(pace, 2, { statusCode: 200 })).toBe(2)
  expect(await send(pace, 3, { statusCode: 200 })).toBe(3)
})
