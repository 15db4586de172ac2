import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

const MIB = 1024 * 1024

let server: TestServer
let run: string
const sockets: Socket[] = []
const read = createResponse(() => server)

beforeEach(async () => {
  server = await startTestServer({}, { config: { maxUnsentBytes: 8 * MIB, responseWaitSeconds: 0.1 } })
  const log = { level: 'INFO', timestamp: '2026-11-20T09:00:00Z', message: 'x'.repeat(10_000) }
  const logs = Array.from({ length: 800 }, () => ({ ...log, source_file: 'a.py', line_number: 1 }))
  run = (await server.createRun({ logs })).id ?? ''
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.stop()
})

/** Asks for the run with a key, and takes nothing of it but the first bytes. */
async function pause(key: string): Promise<{ socket: Socket; status: number }> {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined)
  sockets.push(socket)
  socket.write(`GET /v2/runs/${run} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${key}\r\n\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.pause()
  return { socket, status: Number(String(first).slice(9, 12)) }
}

async function createKey(): Promise<string> {
  const { key } = await read<{ key: string }>('POST', '/v2/keys', { kind: 'user', name: 'other' })
  return key
}

async function readFigure(name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0)
}

it('refuses what is more than half of it for one key, and nothing to another key', async () => {
  const key = await createKey()
  const statuses: number[] = []
  for (let reader = 0; reader < 3; reader += 1) statuses.push((await pause(key)).status)
  expect(statuses).toEqual([200, 200, 503])
  expect((await server.getRun(run)).logs).toHaveLength(800)
  expect(await readFigure('runledger_http_unsent_bytes')).toBe(4 * MIB)
})

it('names the setting where it refuses', async () => {
  for (let reader = 0; reader < 2; reader += 1) await pause(server.apiKey)
  const refused = await server.send('GET', `/v2/runs/${run}`)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect(await refused.json()).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringMatching(
      /4194304 bytes of them \(half of RUNLEDGER_SERVER_MAX_UNSENT_BYTES\)/,
    ) as string,
  })
})

it('ends a response that stalled when its key asks for another', async () => {
  const stalled = [await pause(server.apiKey), await pause(server.apiKey)]
  await expect
    .poll(async () => (await server.send('GET', `/v2/runs/${run}`)).status, {
      timeout: 12_000,
      interval: 500,
    })
    .toBe(200)
  for (const { socket } of stalled) socket.resume()
  await expect.poll(() => stalled.filter(({ socket }) => socket.closed).length).toBe(1)
})

it('serves in turn what one key asks for at once', async () => {
  const patient = await startTestServer({}, { config: { maxUnsentBytes: 8 * MIB, responseWaitSeconds: 10 } })
  const { id } = await patient.createRun({})
  const asked = Array.from({ length: 30 }, () => patient.getRun(id))
  expect((await Promise.all(asked)).filter((found) => found.id !== id)).toEqual([])
  await patient.stop()
})

it('holds nothing for clients that went away before their response', async () => {
  const { hostname, port } = new URL(server.url)
  const path = `/v2/runs/${run}`
  for (let client = 0; client < 5; client += 1) {
    const socket = connect({ host: hostname, port: Number(port) })
    await once(socket, 'connect')
    socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${server.apiKey}\r\n\r\n`)
    socket.destroySoon()
    await once(socket, 'close')
  }
  await server.getRun(run)
  await expect.poll(() => readFigure('runledger_http_unsent_bytes')).toBe(0)
})

it('counts files of the dashboard as what is held of a file', async () => {
  const dashboardDir = await mkdtemp(join(tmpdir(), 'runledger-dashboard-'))
  await mkdir(join(dashboardDir, 'assets'))
  await writeFile(join(dashboardDir, 'index.html'), '<!doctype html>')
  await writeFile(join(dashboardDir, 'assets', 'large.js'), Buffer.alloc(8 * MIB, ' '))
  const small = await startTestServer({}, { config: { maxUnsentBytes: 8 * MIB, dashboardDir } })
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => fetch(new URL('/assets/large.js', small.url))),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200])
  for (const { body } of answers) await body?.cancel()
  await small.stop()
  await rm(dashboardDir, { recursive: true })
})

it('forgets a response when it has been read', async () => {
  await server.getRun(run)
  await expect.poll(() => readFigure('runledger_http_unsent_bytes')).toBe(0)
})
