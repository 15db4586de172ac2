// Asks the service for its health and for one small record again and again; the parent thread reads how long that took.
import { parentPort, workerData } from 'node:worker_threads'
import { Agent, request } from 'undici'
import { percentile } from './service-client.mjs'

const EVERY_MS = 10
const headers = { authorization: `Bearer ${workerData.RUNLEDGER_API_KEY}` }
const dispatcher = new Agent({ connections: 4 })
const pending = new Map()
// Time in which this thread itself was not run: it is no wait for the service.
let ownPausesMs = 0
let sample = newSample()
let expectedAt = performance.now() + EVERY_MS

setInterval(() => {
  ownPausesMs += Math.max(0, performance.now() - expectedAt)
  expectedAt = performance.now() + EVERY_MS
  for (const pathname of ['/healthz', '/v2/procedures?limit=1'])
    if (!pending.has(pathname)) void ask(pathname)
}, EVERY_MS)

// What is still waited for counts with the time it has waited until now.
parentPort.on('message', () => {
  const waiting = [...pending.values()].map((startedAt) => performance.now() - startedAt)
  const all = [...sample.waits, ...waiting.filter((ms) => ms > EVERY_MS)]
  const report = { longestWaitMs: Math.max(0, ...all), p99WaitMs: percentile(all, 0.99), asked: all.length }
  parentPort.postMessage({ ...report, failed: sample.failed }, [])
  sample = newSample()
})

function newSample() {
  return { waits: [], failed: 0 }
}

async function ask(pathname) {
  const startedAt = performance.now()
  const pausesBeforeMs = ownPausesMs
  pending.set(pathname, startedAt)
  try {
    const answer = await request(workerData.RUNLEDGER_URL + pathname, { dispatcher, headers })
    await answer.body.dump()
    if (answer.statusCode !== 200) sample.failed += 1
  } catch {
    sample.failed += 1
  } finally {
    pending.delete(pathname)
    sample.waits.push(performance.now() - startedAt - (ownPausesMs - pausesBeforeMs))
  }
}
