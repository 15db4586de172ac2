// node watch.mjs URL: asks URL/healthz fifty times a second on a connection of its own, and a bare server beside it the same,
// until standard input ends; then prints what both took as one line of JSON. A process of its own, so that an attack that
// keeps its attacker busy does not keep the watch from looking.
import http from 'node:http'
import { Worker } from 'node:worker_threads'

const EVERY_MS = 20
const GIVE_UP_MS = 120_000

const BARE = `const http = require('node:http'), { parentPort } = require('node:worker_threads')
const server = http.createServer((request, response) => response.end('{"status":"ok"}'))
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))`

const bare = new Worker(BARE, { eval: true })
const port = await new Promise((resolve) => bare.once('message', resolve))
const looks = [look(`${process.argv[2]}/healthz`), look(`http://127.0.0.1:${port}/`)]
await Promise.all(looks.map(({ began }) => began))
process.stdout.write('looking\n')
process.stdin.resume()
await new Promise((resolve) => process.stdin.once('end', resolve))
const [service, machine] = looks.map((one) => one.stop())
process.stdout.write(`${JSON.stringify({ service, machine })}\n`, () => process.exit(0))

/** A request that is due while another waits has been waiting too: times run from when each was due. */
function look(url) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const waiting = new Set()
  const took = []
  let failed = 0
  let tellBegan
  const began = new Promise((resolve) => (tellBegan = resolve))
  const timer = setInterval(() => {
    const due = performance.now()
    waiting.add(due)
    const end = (ok) => {
      if (!waiting.delete(due)) return
      took.push(performance.now() - due)
      if (!ok) failed += 1
      tellBegan()
    }
    const request = http.get(url, { agent, timeout: GIVE_UP_MS }, (response) => {
      response.resume()
      response.once('close', () => end(response.statusCode === 200))
    })
    request.on('error', () => end(false))
  }, EVERY_MS)
  return {
    /** The first answer has come, so that the connection is open. */
    began,
    stop() {
      clearInterval(timer)
      const now = performance.now()
      const all = [...took, ...[...waiting].map((due) => now - due)].sort((a, b) => a - b)
      const at = (share) => all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? Number.NaN
      return { asked: all.length, failed, p50: at(0.5), p99: at(0.99), max: at(1) }
    },
  }
}
