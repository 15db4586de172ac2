import { createServer, request } from 'node:http'
import { once } from 'node:events'
import { connect, type AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { AnswerReader } from './answer-reader'
import { MAX_ANSWER_BYTES } from './transport'

/** What comes of these bytes, read in pieces of so many. */
function readIn(sizeBytes: number, text: string): AnswerReader {
  const reader = new AnswerReader()
  const bytes = Buffer.from(text, 'latin1')
  for (let start = 0; start < bytes.byteLength; start += sizeBytes)
    reader.read(Buffer.from(bytes.subarray(start, start + sizeBytes)))
  return reader
}

const SIZED = 'HTTP/1.1 201 Created\r\nContent-Length: 5\r\nKeep-Alive: timeout=7\r\n\r\nwhole'
const CHUNKED =
  'HTTP/1.1 503 Busy\r\nretry-after:  3 \r\nRetry-After: 9\r\nTransfer-Encoding: chunked\r\n\r\n' +
  '3;why="x"\r\nwho\r\n0002 \r\nle\r\n0\r\nChecked: yes\r\n\r\n'

describe.each([1, 2, 3, 7, 1_000])('in pieces of %i', (sizeBytes) => {
  it('has a length', () => {
    const reader = readIn(sizeBytes, SIZED)
    expect(reader.isWhole).toBe(true)
    expect(reader.answer).toEqual({ statusCode: 201, retryAfter: undefined, body: 'whole' })
    expect([reader.isPersistent, reader.keepAliveSeconds]).toEqual([true, 7])
  })

  it('is in chunks, with trailers', () => {
    const reader = readIn(sizeBytes, CHUNKED)
    expect(reader.isWhole).toBe(true)
    expect(reader.answer).toEqual({ statusCode: 503, retryAfter: '3', body: 'whole' })
    expect([reader.isPersistent, reader.keepAliveSeconds]).toEqual([true, undefined])
  })

  it('is whole when the connection ends, after what came before it', () => {
    const before = 'HTTP/1.1 103 Early Hints\r\nContent-Length: 9\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'
    const reader = readIn(sizeBytes, `${before}HTTP/1.1 200 OK\r\n\r\nwhole`)
    expect(reader.isWhole).toBe(false)
    reader.end()
    expect(reader.answer).toMatchObject({ statusCode: 200, body: 'whole' })
    expect(reader.isPersistent).toBe(false)
  })
})

it.each([
  ['HTTP/1.1 204 None\r\nContent-Length: 5\r\n\r\n', true],
  ['HTTP/1.1 304 Same\r\nTransfer-Encoding: chunked\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nContent-Length: 0, 0\r\nContent-Length: 0\r\n\r\n', true],
  ['HTTP/1.1 200\r\nConnection: Close\r\nContent-Length: 0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n', true],
  ['HTTP/1.1 200 OK\r\nConnection: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', false],
  ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: Chunked\r\n\r\n0\r\n\r\n', false],
  ['HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', false],
  // Whatever it is, nobody has asked for it.
  ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK', false],
])('%j is whole, with no body; another exchange may follow: %s', (text, isPersistent) => {
  const reader = readIn(10_000, text)
  expect([reader.isWhole, reader.answer.body, reader.isPersistent]).toEqual([true, '', isPersistent])
})

const OK = 'HTTP/1.1 200 OK\r\n'
it.each([
  ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n\r\n'],
  ['a line that ends in its middle', 'HTTP/1.1 200 OK\nx: y\r\nContent-Length: 0\r\n\r\n'],
  ['a chunk with such a line', `${OK}Transfer-Encoding: chunked\r\n\r\n1;x\n\r\na\r\n0\r\n\r\n`],
  ['a trailer that is none', `${OK}Transfer-Encoding: chunked\r\n\r\n0\r\nHTTP/1.1 200 OK\r\n\r\n`],
  ['another version', 'HTTP/2 200\r\n\r\n'],
  ['no status', 'HTTP/1.1 OK\r\n\r\n'],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n'],
  ['a line without a colon', `${OK}Content-Length\r\n\r\n`],
  ['a space before the colon', `${OK}Content-Length : 5\r\n\r\n`],
  ['a folded line', `${OK}Content-Length:\r\n 5\r\n\r\n`],
  ['two lengths', `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\n`],
  ['a negative length', `${OK}Content-Length: -5\r\n\r\n`],
  ['a length with more', `${OK}Content-Length: 5x\r\n\r\n`],
  ['an empty length', `${OK}Content-Length:\r\n\r\n`],
  ['another coding', `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n`],
  ['a negative chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n-5\r\n`],
  ['a chunk without a length', `${OK}Transfer-Encoding: chunked\r\n\r\n;x\r\n`],
  ['a chunk that is longer', `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n`],
  ['a huge length', `${OK}Content-Length: ${MAX_ANSWER_BYTES + 1}\r\n\r\n`],
  ['a huge chunk', `${OK}Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n${MAX_ANSWER_BYTES.toString(16)}\r\n`],
  ['a huge body', `${OK}\r\n${'x'.repeat(MAX_ANSWER_BYTES + 1)}`],
  ['a head without an end', `${OK}${'x'.repeat(70_000)}`],
  ['a long head', `${OK}a: ${'x'.repeat(70_000)}\r\n\r\n`],
  ['a chunk size without an end', `${OK}Transfer-Encoding: chunked\r\n\r\n1;${'x'.repeat(70_000)}`],
])('refuses %s', (_, text) => {
  expect(() => readIn(text.length, text)).toThrow(/answer|service/)
  expect(() => readIn(100, text)).toThrow(/answer|service/)
})

it.each([
  ['', 'the connection was closed without an answer'],
  ['HTTP/1.1 20', 'the connection was closed without an answer'],
  [SIZED.slice(0, -1), 'the connection was closed in the middle of the answer'],
  [CHUNKED.slice(0, -2), 'the connection was closed in the middle of the answer'],
])('%j is not whole when the connection ends', (text, message) => {
  const reader = readIn(1_000, text)
  expect(() => reader.end()).toThrow(message)
})

it('reads what Node’s own server says, and what Node’s own client reads', async () => {
  const server = createServer((incoming, response) => {
    const [, statusCode, kind] = (incoming.url ?? '').split('/')
    response.statusCode = Number(statusCode)
    if (kind === 'sized') response.setHeader('content-length', 7)
    response.write('Grö')
    setImmediate(() => response.end('ße'))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const path of ['/200/sized', '/503/chunked', '/404/sized']) {
    const [theirs] = await once(request({ port, host: '127.0.0.1', path }).end(), 'response')
    const texts: string[] = []
    for await (const text of theirs.setEncoding('utf8')) texts.push(text)
    const reader = new AnswerReader()
    const socket = connect(port, '127.0.0.1').end(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`)
    for await (const bytes of socket) if (reader.read(bytes as Buffer)) break
    expect(reader.answer).toMatchObject({ statusCode: theirs.statusCode, body: texts.join('') })
    expect(texts.join('')).toBe('Größe')
  }
  server.close()
  server.closeAllConnections()
})
