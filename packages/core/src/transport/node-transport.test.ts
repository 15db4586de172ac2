import { getEventListeners } from 'node:events'
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestServers } from '../../../../test/support/sockets'
import { version } from '../../package.json'
import type { NetworkError } from '../model/errors'
import { rememberConnect } from '../util/original-connect'
import { openConnection } from './connection'
import {
  MAX_RESPONSE_BYTES,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n'
const NO_FILES = { caFile: undefined, clientCertFile: undefined, clientKeyFile: undefined }

let servers: TestServers
let transport: Transport
let folder: string

const open = async (concurrency: number): Promise<Transport> =>
  (await openConnection({ ...NO_FILES, concurrency }, {})).transport

beforeEach(async () => {
  servers = new TestServers()
  transport = await open(2)
  folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-transport-'))
})

afterEach(async () => {
  await transport.close()
  await servers.stop()
  rmSync(folder, { recursive: true, force: true })
})

const urlOf = (port: number): string => `http://127.0.0.1:${port}/runs?sig=secret`

function send(url: string, request: Partial<TransportRequest> = {}): Promise<TransportResponse> {
  const { signal } = new AbortController()
  return transport.send({
    method: 'POST',
    url,
    headers: {},
    body: '{}',
    timeoutMs: 5_000,
    signal,
    ...request,
  })
}

/** What a service receives. */
async function receive(request: Partial<TransportRequest>, url = '/'): Promise<string> {
  let received = ''
  const port = await servers.tcp((socket) => {
    // Later, for the body may come by itself.
    socket.once('data', () => setTimeout(() => socket.write(`${OK}\r\n{}`), 50))
    socket.on('data', (bytes) => (received += bytes.toString('latin1')))
  })
  expect(await send(new URL(url, `http://127.0.0.1:${port}`).href, request)).toMatchObject({
    statusCode: 200,
  })
  return received.replace(`127.0.0.1:${port}`, 'HOST')
}

function writeFile(name: string, content: string | Uint8Array): string {
  const file = path.join(folder, name)
  writeFileSync(file, content)
  return file
}

describe('a request', () => {
  it('is written with its headers, who sends it, and its length', async () => {
    expect(await receive({ headers: { 'x-name': 'Größe' }, body: '"ü"' }, '/rüns?a=ü b#c')).toBe(
      'POST /r%C3%BCns?a=%C3%BC%20b HTTP/1.1\r\nhost: HOST\r\n' +
        `user-agent: runledger/${version} node/${process.versions.node}\r\nx-name: Größe\r\n` +
        'content-length: 4\r\nConnection: keep-alive\r\n\r\n"Ã¼"',
    )
  })

  it.each([
    ['POST', undefined, 'content-length: 0'],
    ['PATCH', '', 'content-length: 0'],
    ['PUT', new Uint8Array(8).subarray(2, 2), 'content-length: 0'],
    ['PUT', new Uint8Array(8).subarray(2, 5), 'content-length: 3'],
    ['GET', undefined, undefined],
  ] as const)('%s with the body %j says %s', async (method, body, line) => {
    const [head = ''] = (await receive({ method, body } as Partial<TransportRequest>)).split('\r\n\r\n')
    const lines = head
      .toLowerCase()
      .split('\r\n')
      .filter((each) => /^(content-length|transfer-encoding)/.test(each))
    expect(lines).toEqual(line === undefined ? [] : [line])
  })

  it('has the name and the password of its URL where no other header says who asks', async () => {
    const port = await servers.http((incoming, response) => response.end(incoming.headers.authorization))
    const url = `http://m%C3%BC:p%3Aw@127.0.0.1:${port}/`
    const basic = `Basic ${Buffer.from('mü:p:w').toString('base64')}`
    expect(await send(url)).toMatchObject({ body: basic })
    expect(await send(url, { headers: { authorization: 'Bearer key' } })).toMatchObject({
      body: 'Bearer key',
    })
  })

  it.each([
    ['a line break in a header', { headers: { authorization: 'Bearer secret\r\nx: y' } }],
    ['a header that HTTP cannot carry', { headers: { authorization: 'Bearer secret😀' } }],
    ['an illegal header name', { headers: { 'a b': 'x' } }],
    ['an invalid URL', { url: 'nonsense?sig=secret' }],
    ['a URL of another protocol', { url: 'ftp://127.0.0.1/?sig=secret' }],
    ['a password that is not percent-encoded', { url: 'http://me:secret%@127.0.0.1/' }],
  ])('is not sent with %s, and no detail is reported', async (_, request) => {
    let connections = 0
    const port = await servers.tcp(() => (connections += 1))
    const response = await send(urlOf(port), request)
    expect(response).toMatchObject({ kind: 'unsendable', error: { wasSent: false } })
    expect((response as { error: Error }).error.message).toMatch(/^cannot send POST /)
    expect((response as { error: Error }).error.message).not.toContain('secret')
    expect(connections).toBe(0)
  })
})

it('is sent no further when the response comes before the end of its bytes', async () => {
  const port = await servers.tcp((socket) => {
    socket.pause()
    socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}')
    setTimeout(() => socket.resume(), 100)
  })
  const body = Buffer.alloc(32 * 1024 * 1024)
  expect(await send(urlOf(port), { body })).toMatchObject({ kind: 'response', statusCode: 413 })
  await expect.poll(() => servers.open).toBe(0)
})

describe('a file', () => {
  const SIZE_BYTES = 3 * 1024 * 1024

  it('is sent whole, again at each try', async () => {
    transport = await open(1)
    const received: number[] = []
    const port = await servers.http((incoming, response) => {
      let sizeBytes = 0
      incoming.on('data', (bytes: Buffer) => (sizeBytes += bytes.byteLength))
      incoming.once('end', () => response.end(String(received.push(sizeBytes))))
    })
    const body = { path: writeFile('video.webm', Buffer.alloc(SIZE_BYTES)), sizeBytes: SIZE_BYTES }
    for (const _ of [1, 2, 3]) expect(await send(urlOf(port), { body })).toMatchObject({ statusCode: 200 })
    expect(received).toEqual([SIZE_BYTES, SIZE_BYTES, SIZE_BYTES])
  })

  it('that has grown is cut at the size that was announced', async () => {
    const file = writeFile('log.txt', 'first')
    appendFileSync(file, ' and more')
    expect(await receive({ body: { path: file, sizeBytes: 5 } })).toMatch(
      /content-length: 5\r\n(.+\r\n)*\r\nfirst$/,
    )
  })

  it('that is empty is sent as such', async () => {
    const body = { path: writeFile('empty.txt', ''), sizeBytes: 0 }
    expect(await receive({ body })).toMatch(/content-length: 0\r\n(.+\r\n)*\r\n$/)
  })

  it.each([
    ['gone', (file: string) => rmSync(file), 'the file cannot be read: ENOENT'],
    ['shorter', (file: string) => truncateSync(file, 7), 'the file has shrunk from 3145728 to 7 bytes'],
  ])('that is %s is not worth another try', async (_, change, words) => {
    const port = await servers.http((incoming, response) =>
      incoming.resume().once('end', () => response.end()),
    )
    const file = writeFile('video.webm', Buffer.alloc(SIZE_BYTES))
    change(file)
    const response = await send(urlOf(port), { body: { path: file, sizeBytes: SIZE_BYTES } })
    expect(response).toMatchObject({ kind: 'unsendable', error: { name: 'AttachmentError' } })
    expect((response as { error: Error }).error.message).toContain(words)
  })

  it('is read no further when the response comes before its end', async () => {
    const port = await servers.tcp((socket) => {
      socket.pause()
      socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\n{}')
    })
    const body = {
      path: writeFile('video.webm', Buffer.alloc(64 * 1024 * 1024)),
      sizeBytes: 64 * 1024 * 1024,
    }
    for (const _ of [1, 2])
      expect(await send(urlOf(port), { body })).toMatchObject({ kind: 'response', statusCode: 413 })
  })
})

/** The response to one request, of a service that writes these bytes. */
async function read(text: string, end = false): Promise<TransportResponse> {
  const port = await servers.tcp((socket) => {
    socket.once('data', () => (end ? socket.end(text) : socket.write(text)))
  })
  return send(urlOf(port), { timeoutMs: 1_000 })
}

describe('a response', () => {
  it('is read whole, in chunks or to the end of the connection, after an informational one', async () => {
    const chunks =
      'Transfer-Encoding: chunked\r\n\r\n3;why="x"\r\nwho\r\n2\r\nle\r\n0\r\nChecked: yes\r\n\r\n'
    const early = 'HTTP/1.1 103 Early Hints\r\nRetry-After: 9\r\n\r\n'
    expect(await read(`${early}HTTP/1.1 503 Busy\r\nRetry-After: 3\r\n${chunks}`)).toMatchObject({
      kind: 'response',
      statusCode: 503,
      retryAfter: '3',
      body: 'whole',
    })
    expect(await read('HTTP/1.1 201 Created\r\n\r\nwhole', true)).toMatchObject({
      kind: 'response',
      statusCode: 201,
      retryAfter: undefined,
      body: 'whole',
    })
  })

  it.each([
    [
      'changes to another protocol',
      'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: other\r\n\r\n',
    ],
    ['is not HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['is shorter than it says', `${OK}\r\n{`],
    ['has endless headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(64 * 1024)}\r\n\r\n`],
  ])('that %s is none, and the request may have been carried out', async (_, text) => {
    expect(await read(text, true)).toMatchObject({ kind: 'no-response', error: { wasSent: true } })
  })

  it('is read to its longest length, and no further', async () => {
    const longest = await read(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(MAX_RESPONSE_BYTES)}`, true)
    expect(longest.kind === 'response' && longest.body.length).toBe(MAX_RESPONSE_BYTES)
    const longer = await read(`HTTP/1.1 200 OK\r\n\r\n${'x'.repeat(MAX_RESPONSE_BYTES + 1)}`, true)
    expect(longer.kind === 'no-response' && longer.error.wasSent).toBe(true)
  })
})

async function expectNoResponse(
  sent: Promise<TransportResponse>,
  { wasSent, words }: { wasSent: boolean; words: RegExp },
): Promise<void> {
  const response = await sent
  expect(response).toMatchObject({ kind: 'no-response', error: { wasSent } })
  const { error } = response as { error: NetworkError }
  expect(error.message).toMatch(/^no response from POST https?:\/\/[^?]+: /)
  expect(error.message).toMatch(words)
}

describe('a request without a response', () => {
  it('was not sent if no service listens', async () => {
    await expectNoResponse(send('http://127.0.0.1:9/runs?sig=secret'), {
      wasSent: false,
      words: /ECONNREFUSED/,
    })
  })

  it('was not sent where the host has no address', async () => {
    const sent = send('http://nowhere.invalid/runs')
    await expectNoResponse(sent, { wasSent: false, words: /ENOTFOUND|EAI_AGAIN/ })
  })

  it('was not sent where the connection is never made', async () => {
    const url = urlOf(await servers.silence()).replace('http:', 'https:')
    await expectNoResponse(send(url, { timeoutMs: 300 }), { wasSent: false, words: /timed out after 300 ms/ })
  })

  it('was not sent where it was aborted before', async () => {
    const port = await servers.silence()
    const sent = send(urlOf(port), { signal: AbortSignal.abort() })
    await expectNoResponse(sent, { wasSent: false, words: /the deadline was reached/ })
    expect(servers.open).toBe(0)
  })

  it('was not sent where it waited for its turn', async () => {
    const port = await servers.silence()
    const first = [1, 2].map(() => send(urlOf(port), { timeoutMs: 400 }))
    await sleep(100)
    await expectNoResponse(send(urlOf(port), { timeoutMs: 100 }), { wasSent: false, words: /100 ms/ })
    await Promise.all(first)
  })

  it.each([
    ['closed', (socket: Socket) => socket.end(), /closed/],
    ['reset', (socket: Socket) => socket.resetAndDestroy(), /ECONNRESET/],
  ])('may have been carried out where the connection is %s', async (_, end, words) => {
    const port = await servers.tcp((socket) => void socket.once('data', () => end(socket)))
    await expectNoResponse(send(urlOf(port)), { wasSent: true, words })
  })

  it.each([
    ['silent', ''],
    ['in the middle of its response', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{'],
  ])('may have been carried out by a service that is %s until the time is over', async (_, text) => {
    const port = await servers.tcp((socket) => void socket.once('data', () => socket.write(text)))
    const startedAtMs = Date.now()
    await expectNoResponse(send(urlOf(port), { timeoutMs: 200 }), {
      wasSent: true,
      words: /timed out after 200 ms/,
    })
    expect(Date.now() - startedAtMs).toBeLessThan(1_500)
    await expect.poll(() => servers.open).toBe(0)
  })

  it('is cut by its signal, which keeps no listener', async () => {
    const port = await servers.silence()
    const deadline = new AbortController()
    setTimeout(() => deadline.abort(), 100)
    const sent = [1, 2].map(() => send(urlOf(port), { signal: deadline.signal }))
    for (const each of sent)
      await expectNoResponse(each, { wasSent: true, words: /the deadline was reached/ })
    expect(getEventListeners(deadline.signal, 'abort')).toHaveLength(0)
  })
})

describe('a connection', () => {
  beforeEach(async () => {
    transport = await open(1)
  })

  it.each([
    ['as a rule', `${OK}\r\n{}`, 1],
    ['as the service closes it late', `${OK}Keep-Alive: timeout=60\r\n\r\n{}`, 1],
    ['not when the service closes it soon', `${OK}Keep-Alive: timeout=1\r\n\r\n{}`, 3],
    ['not when the service says so', `${OK}Connection: close\r\n\r\n{}`, 3],
  ])('is used again, %s', async (_, text, expected) => {
    let connections = 0
    const port = await servers.tcp((socket) => {
      connections += 1
      socket.on('data', () => socket.write(text))
    })
    for (let count = 0; count < 3; count += 1)
      expect(await send(urlOf(port))).toMatchObject({ kind: 'response', statusCode: 200, body: '{}' })
    expect(connections).toBe(expected)
  })

  it.each([
    ['closed it', (socket: Socket) => socket.end()],
    ['reset it', (socket: Socket) => socket.resetAndDestroy()],
    ['spoken unasked', (socket: Socket) => socket.write('HTTP/1.1 408 Timeout\r\n\r\n')],
  ])('is not used again when the service has %s between two requests', async (_, act) => {
    let connections = 0
    const port = await servers.tcp((socket) => {
      connections += 1
      socket.on('data', () => {
        socket.write(`${OK}\r\n{}`)
        setTimeout(() => act(socket), 5)
      })
    })
    for (let count = 0; count < 3; count += 1) {
      expect(await send(urlOf(port))).toMatchObject({ kind: 'response', statusCode: 200 })
      await expect.poll(() => servers.open).toBe(0)
    }
    expect(connections).toBe(3)
  })

  it('is made by Node’s own method, where another was put in its place later', async () => {
    const port = await servers.http((_, response) => response.end('{}'))
    const refuse = { value: () => expect.unreachable(), configurable: true }
    const original = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect') as PropertyDescriptor
    rememberConnect()
    Object.defineProperty(Socket.prototype, 'connect', refuse)
    const sent = send(urlOf(port))
    const found = Object.getOwnPropertyDescriptor(Socket.prototype, 'connect')?.value as unknown
    Object.defineProperty(Socket.prototype, 'connect', original)
    expect(found).toBe(refuse.value)
    expect(await sent).toMatchObject({ kind: 'response', statusCode: 200 })
  })

  it('is one of as many as are allowed', async () => {
    transport = await open(2)
    let [now, most] = [0, 0]
    const port = await servers.http((_, response) => {
      most = Math.max(most, (now += 1))
      setTimeout(() => response.end(String((now -= 1))), 20)
    })
    const responses = await Promise.all(Array.from({ length: 8 }, () => send(urlOf(port))))
    expect(responses.filter(({ kind }) => kind === 'response')).toHaveLength(8)
    expect(most).toBe(2)
  })
})

describe('a closed transport', () => {
  it('has cut what was under way, and sends nothing more', async () => {
    const port = await servers.silence()
    const sent = [1, 2, 3].map(() => send(urlOf(port)))
    await expect.poll(() => servers.open).toBe(2)
    await transport.close()
    expect((await Promise.all(sent)).map(({ kind }) => kind)).toEqual(Array(3).fill('no-response'))
    await expectNoResponse(send(urlOf(port)), { wasSent: false, words: /closed|destroyed/ })
    await expect.poll(() => servers.open).toBe(0)
  })

  it('has cut what was still connecting', async () => {
    const sent = send(urlOf(await servers.silence()).replace('http:', 'https:'))
    await expect.poll(() => servers.open).toBe(1)
    const startedAtMs = Date.now()
    await transport.close()
    await expectNoResponse(sent, { wasSent: false, words: /closed|destroyed/ })
    await expect.poll(() => servers.open).toBe(0)
    expect(Date.now() - startedAtMs).toBeLessThan(2_000)
  })
})
