import { NetworkError } from '@runledger/core/tools'
import { expect, it } from 'vitest'
import { askPatiently } from './ask-patiently'

const TIMEOUT_MS = 100_000

/** Starts a service that closes each connection after the given time, and answers the last one. */
function startService(lengthsMs: readonly number[], error: Error = new NetworkError('no response', true)) {
  let nowMs = 0
  let asked = 0
  const waits: number[] = []
  const clock = {
    nowMs: () => nowMs,
    sleep: (ms: number) => {
      waits.push(ms)
      nowMs += ms
      return Promise.resolve()
    },
  }
  const ask = (): Promise<string> => {
    const lengthMs = lengthsMs[asked]
    asked += 1
    nowMs += lengthMs ?? 0
    return lengthMs === undefined ? Promise.resolve('stored') : Promise.reject(error)
  }
  return {
    import: () => askPatiently(ask, { requestTimeoutMs: TIMEOUT_MS, clock }),
    waits,
    count: () => asked,
  }
}

const many = (count: number, lengthMs: number) => Array.from({ length: count }, () => lengthMs)

it('asks again after a pause while the service has no answer', async () => {
  const service = startService(many(20, TIMEOUT_MS))
  expect(await service.import()).toBe('stored')
  expect(service.count()).toBe(21)
  expect(Math.min(...service.waits)).toBeGreaterThan(100)
})

it('gives up after an hour', async () => {
  const service = startService(many(1000, TIMEOUT_MS))
  await expect(service.import()).rejects.toThrow('no response')
  expect(service.count()).toBeLessThan(40)
})

it('gives up after five early breaks in a row, with growing pauses', async () => {
  const service = startService(many(1000, 2))
  await expect(service.import()).rejects.toThrow('no response')
  expect(service.count()).toBe(5)
  expect(service.waits).toHaveLength(4)
  expect(service.waits[3]).toBeGreaterThan(service.waits[0] ?? Infinity)
})

it('counts early breaks from zero after a connection that waited', async () => {
  const service = startService([...many(4, 2), TIMEOUT_MS, ...many(4, 2)])
  expect(await service.import()).toBe('stored')
})

it('asks once if the request was not sent', async () => {
  const service = startService(many(10, 2), new NetworkError('refused', false))
  await expect(service.import()).rejects.toThrow('refused')
  expect(service.count()).toBe(1)
})
