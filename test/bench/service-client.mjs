import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { Agent, request } from 'undici'

/** Requests to a service over kept connections. @param {Record<string, string>} variables of `startService` */
export function createClient({ RUNLEDGER_URL: url, RUNLEDGER_API_KEY: key }, connections = 8) {
  const dispatcher = new Agent({ connections })
  const send = async (method, pathname, content) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const body = content === undefined ? undefined : JSON.stringify(content)
    const answer = await request(url + pathname, { dispatcher, method, headers, body })
    return { status: answer.statusCode, text: await answer.body.text() }
  }
  return {
    send,
    /** What is answered, as JSON; throws unless the status is 200. */
    async json(method, pathname, content) {
      const { status, text } = await send(method, pathname, content)
      if (status !== 200) throw new Error(`${method} ${pathname}: ${status} ${text.slice(0, 500)}`)
      return JSON.parse(text)
    },
    /** Milliseconds until the whole answer is there. */
    async time(pathname) {
      const startedAt = performance.now()
      const { status, text } = await send('GET', pathname)
      const ms = performance.now() - startedAt
      if (status !== 200) throw new Error(`GET ${pathname}: ${status} ${text.slice(0, 500)}`)
      return { ms, text }
    },
    close: () => dispatcher.close(),
  }
}

/** The value that this share of the values does not exceed. @param {readonly number[]} values */
export function percentile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? 0
}

/**
 * Asks for `/healthz` and a small read every 10 ms from a thread of its own. `measure` tells how long the slowest of them
 * took while some work was done.
 * @param {Record<string, string>} variables
 */
export async function startProbe(variables) {
  const worker = new Worker(path.join(import.meta.dirname, 'service-probe.mjs'), { workerData: variables })
  const read = () =>
    new Promise((resolve) => {
      worker.once('message', resolve)
      worker.postMessage('read', [])
    })
  await read()
  return {
    /** @template Result @param {() => Promise<Result>} work */
    async measure(work) {
      await read()
      const result = await work()
      return { result, ...(await read()) }
    },
    stop: () => worker.terminate(),
  }
}
