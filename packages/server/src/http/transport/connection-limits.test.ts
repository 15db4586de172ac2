import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
const sockets: Socket[] = []
const read = createResponse(() => server)

beforeEach(async () => {
  server = await startTestServer({}, { config: { maxConnections: 20 } })
})

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await server.stop()
})

function open(): Socket {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined)
  sockets.push(socket)
  return socket
}

/** Sends a request; 0 where the connection is ended instead of an answer. */
async function ask(socket: Socket, key?: string): Promise<number> {
  const authorization = key === undefined ? '' : `authorization: Bearer ${key}\r\n`
  socket.write(`GET ${key ? '/v2/runs' : '/healthz'} HTTP/1.1\r\nhost: a\r\n${authorization}\r\n`)
  const answer = await Promise.race([once(socket, 'data'), once(socket, 'close').then(() => undefined)])
  return answer === undefined ? 0 : Number(String(answer[0]).slice(9, 12))
}

async function createKey(): Promise<string> {
  return (await read<{ key: string }>('POST', '/v2/keys', { kind: 'user', name: 'other' })).key
}

it('leaves one key half of the connections: its idle ones make room for its new ones', async () => {
  const key = await createKey()
  const own: Socket[] = []
  for (let index = 0; index < 14; index += 1) {
    const socket = open()
    own.push(socket)
    expect(await ask(socket, key)).toBe(200)
  }
  await expect.poll(() => own.filter(({ closed }) => closed).length).toBe(4)
  expect(own.slice(0, 4).every(({ closed }) => closed)).toBe(true)
})

it('lets newcomers in, with a key or without, while keys hold all others', async () => {
  const held: Socket[] = []
  for (const key of [await createKey(), await createKey()])
    for (let index = 0; index < 10; index += 1) {
      const socket = open()
      held.push(socket)
      await ask(socket, key)
    }
  for (let newcomer = 0; newcomer < 5; newcomer += 1) {
    expect(await ask(open())).toBe(200)
    expect(await ask(open(), server.apiKey)).toBe(200)
  }
  expect(held.filter(({ closed }) => !closed).length).toBeGreaterThan(5)
})

it('ends connections on which nothing came before those that were used', async () => {
  const used = open()
  expect(await ask(used)).toBe(200)
  const silent = Array.from({ length: 12 }, open)
  await expect.poll(() => silent.filter(({ closed }) => closed).length).toBeGreaterThan(5)
  expect(await ask(used)).toBe(200)
})

/** Begins to send bytes to a signed address; 0 when there is no answer within a moment. */
async function beginUpload(socket: Socket, length: number): Promise<number> {
  const { upload_url: address } = await read<{ upload_url: string }>('POST', '/v2/attachments', {
    name: 'a.bin',
  })
  const { pathname, search } = new URL(address)
  socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nhost: a\r\ncontent-length: ${length}\r\n\r\na`)
  const answer = await Promise.race([once(socket, 'data'), setTimeout(500, undefined)])
  return answer === undefined ? 0 : Number(String(answer[0]).slice(9, 12))
}

it('lets a key use signed addresses while others hold all connections for them', async () => {
  for (let holder = 0; holder < 10; holder += 1) await beginUpload(open(), 1_000)
  expect(await beginUpload(open(), 1)).toBe(503)
  const own = open()
  expect(await ask(own, server.apiKey)).toBe(200)
  expect(await beginUpload(own, 1)).toBe(200)
})
