import dns from 'node:dns'
import { getEventListeners, once } from 'node:events'
import fs from 'node:fs/promises'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pLimit from 'p-limit'
import { afterEach, expect, it, vi } from 'vitest'
import { connectService } from '../service/connect-service'
import type { PoolSettings } from './connection-pool'
import { createRetryingTransport } from './retrying-transport'
import { createSocketTransport } from './socket-transport'
import type { TransportRequest, Transport } from './transport'

const stops: (() => unknown)[] = []

afterEach(async () => {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
  for (const stop of stops.splice(0)) await stop()
})

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}'

/** A service on 127.0.0.1 alone, which is told of each connection; answers its port. */
async function listen(serve: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    stops.push(() => socket.destroy())
    serve(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(() => server.close())
  return (server.address() as AddressInfo).port
}

function open(settings: Partial<PoolSettings> = {}): Transport {
  const transport = createSocketTransport({ tls: {}, isBackground: false, ...settings })
  stops.push(() => transport.close())
  return transport
}

function createRequest(port: number, request: Partial<TransportRequest> = {}): TransportRequest {
  const url = `http://127.0.0.1:${port}/runs`
  const { signal } = new AbortController()
  return { method: 'POST', url, headers: {}, body: '{}', timeoutMs: 1_000, signal, ...request }
}

/** A name with two addresses, of which the first one refuses. */
function answerTwo(...args: unknown[]): void {
  const done = args.at(-1) as (error: null, found: dns.LookupAddress[]) => void
  const addresses = ['127.0.0.2', '127.0.0.1'].map((address) => ({ address, family: 4 }))
  done(null, addresses)
}

it('lets the process end in the background, whichever of a host’s addresses answers', async () => {
  let connected: () => void
  const connection = new Promise<void>((resolve) => (connected = resolve))
  const port = await listen((socket) => {
    socket.unref().once('data', () => connected())
  })
  vi.spyOn(dns, 'lookup').mockImplementation(answerTwo as never)
  const count = (): number =>
    process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  const before = count()
  const url = `http://two-addresses.example:${port}/`
  const sent = open({ isBackground: true }).send(createRequest(port, { url, timeoutMs: 500 }))
  await connection
  expect(count()).toBe(before)
  expect(await sent).toMatchObject({ kind: 'no-answer', error: { wasSent: true } })
})

it.each([
  ['two for a service that answers soon', OK, 2, 2, 5_000],
  ['as many as there are requests for one that takes its time', OK, 40, 6],
  [
    'one for each request where the service closes them',
    OK.replace('\r\n', '\r\nConnection: close\r\n'),
    2,
    12,
  ],
])('makes %s', async (_, answer, delayMs, expected, patienceMs = 10) => {
  let connections = 0
  const port = await listen((socket) => {
    connections += 1
    socket.on('data', () => setTimeout(() => socket.write(answer), delayMs))
  })
  const transport = open({ patienceMs })
  const limit = pLimit(6)
  const send = () => limit(() => transport.send(createRequest(port)))
  const responses = await Promise.all(Array.from({ length: 12 }, send))
  expect(responses.filter(({ kind }) => kind === 'answer')).toHaveLength(12)
  expect(connections).toBe(expected)
})

it('cuts off what waits for a connection to come back, and takes none away with it', async () => {
  let connections = 0
  const port = await listen((socket) => {
    connections += 1
    socket.on('data', () => setTimeout(() => socket.write(OK), 5))
  })
  const transport = open({ patienceMs: 5_000 })
  const cut = new AbortController()
  const first = [1, 2].map(() => transport.send(createRequest(port)))
  const waiting = transport.send(createRequest(port, { signal: cut.signal }))
  cut.abort()
  expect(await waiting).toMatchObject({ kind: 'no-answer', error: { wasSent: false } })
  for (const each of await Promise.all(first)) expect(each).toMatchObject({ kind: 'answer' })
  expect(await transport.send(createRequest(port))).toMatchObject({ kind: 'answer' })
  expect(connections).toBe(2)
})

it('waits for no connection that was left for too long', async () => {
  let connections = 0
  const port = await listen((socket) => {
    connections += 1
    socket.on('data', () => setTimeout(() => socket.write(OK), 20))
  })
  const transport = open({ patienceMs: 5_000 })
  await Promise.all([1, 2].map(() => transport.send(createRequest(port))))
  const later = performance.now() + 60_000
  vi.spyOn(performance, 'now').mockImplementation(() => later)
  expect(await transport.send(createRequest(port))).toMatchObject({ kind: 'answer' })
  expect(connections).toBe(3)
})

it('waits again for the connections of a service that has closed one', async () => {
  let [connections, answers] = [0, 0]
  const port = await listen((socket) => {
    connections += 1
    socket.on('data', () => {
      answers += 1
      const isFirst = answers === 1
      setTimeout(() => socket.write(isFirst ? OK.replace('\r\n', '\r\nConnection: close\r\n') : OK), 2)
    })
  })
  const transport = open({ patienceMs: 5_000 })
  for (const _ of [1, 2]) await transport.send(createRequest(port))
  await Promise.all(Array.from({ length: 6 }, () => transport.send(createRequest(port))))
  expect(connections).toBe(3)
})

it('leaves no listener on a signal that outlives its requests', async () => {
  const port = await listen((socket) => void socket.on('data', () => socket.write(OK)))
  const { signal } = new AbortController()
  const transport = open()
  const sent = [1, 2, 3].map(() => transport.send(createRequest(port, { signal })))
  expect(getEventListeners(signal, 'abort')).toHaveLength(1)
  await Promise.all(sent)
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})

it('sends all that was begun in the background before the process may end', async () => {
  let count = 0
  const port = await listen((socket) => {
    socket.unref().on('data', () => {
      count += 1
      setTimeout(() => socket.write(OK), 30).unref()
    })
  })
  const transport = open({ isBackground: true })
  const sent = [1, 2, 3, 4].map(() => transport.send(createRequest(port)))
  // Connections, and what waits for one.
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeGreaterThan(1)
  await Promise.all(sent)
  expect(count).toBe(4)
})

it('tries nothing again once it is closed', async () => {
  const transport = createRetryingTransport(open(), { maxRetries: 5, deadlineAtMs: Infinity })
  await transport.close()
  const startedAtMs = performance.now()
  expect(await transport.send(createRequest(9))).toMatchObject({ kind: 'no-answer' })
  expect(performance.now() - startedAtMs).toBeLessThan(100)
})

it('goes on with the next request where the file of the last one cannot be closed', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-unclosed-'))
  stops.push(() => rmSync(folder, { recursive: true }))
  const sizeBytes = 1024 * 1024
  const file = path.join(folder, 'video.webm')
  writeFileSync(file, Buffer.concat([Buffer.alloc(sizeBytes - 1), Buffer.from('!')]))
  const openFile = fs.open
  vi.spyOn(fs, 'open').mockImplementation(async (...args) => {
    const handle = await openFile(...args)
    const close = handle.close.bind(handle)
    handle.close = async () => {
      await close()
      await sleep(20)
      throw new Error('EIO: i/o error, close')
    }
    return handle
  })
  syncBuiltinESMExports()
  let connections = 0
  const port = await listen((socket) => {
    connections += 1
    socket.on('data', (bytes) => {
      if (bytes.at(-1) === 0x21) socket.write(OK)
      else if (bytes.at(-1) === 0x7d) setTimeout(() => socket.write(OK), 100)
    })
  })
  const transport = open()
  const body = { path: file, sizeBytes }
  expect(await transport.send(createRequest(port, { method: 'PUT', body }))).toMatchObject({
    statusCode: 200,
  })
  expect(await transport.send(createRequest(port))).toMatchObject({ statusCode: 200 })
  expect(connections).toBe(1)
})

it.each([
  ['nobody listens', async () => 9],
  ['it is cut off before', async () => listen((socket) => void socket.write(OK))],
])('has sent nothing where %s', async (what, findPort) => {
  const signal = what === 'nobody listens' ? new AbortController().signal : AbortSignal.abort()
  const response = await open().send(createRequest(await findPort(), { signal }))
  expect(response).toMatchObject({ kind: 'no-answer', error: { wasSent: false } })
})

it('asks no service by an address whose password cannot be read', async () => {
  const port = await listen((socket) => void socket.write(OK))
  const url = `http://me:100%@127.0.0.1:${port}/`
  const response = await open().send(createRequest(port, { url }))
  expect(response).toMatchObject({ kind: 'unsendable', error: { wasSent: false } })
  expect(String((response as { error: Error }).error)).not.toContain('100%')
})

it('is not open any more when it is closed, whatever comes back to it', async () => {
  const sockets: Socket[] = []
  const port = await listen((socket) => {
    sockets.push(socket)
    socket.on('data', () => setTimeout(() => socket.write(OK), 50))
  })
  const transport = open()
  const sent = transport.send(createRequest(port))
  await sleep(20)
  await transport.close()
  expect(await sent).toMatchObject({ kind: 'no-answer' })
  expect(await transport.send(createRequest(port))).toMatchObject({ kind: 'no-answer' })
  await sleep(20)
  expect(sockets.filter((socket) => !socket.destroyed)).toEqual([])
})

it('takes no more connections for calls of a service than requests may be under way', async () => {
  let [now, most] = [0, 0]
  const port = await listen((socket) => {
    socket.on('data', () => {
      now += 1
      most = Math.max(most, now)
      setTimeout(() => {
        now -= 1
        socket.write(OK)
      }, 20)
    })
  })
  const options = { url: `http://127.0.0.1:${port}`, apiKey: 'rl_user_0123456789abcdef', concurrency: 3 }
  const { client, close } = await connectService({ options, env: {}, projectRoot: os.tmpdir() })
  await Promise.all(Array.from({ length: 12 }, () => client.getRun({ params: { id: 'x' } })))
  await close()
  expect(most).toBe(3)
})
