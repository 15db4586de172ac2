import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer({ maxAttachmentBytes: 1_000_000 })
})

afterAll(() => server.stop())

async function initialize(name: string): Promise<{ id: string; upload_url: string }> {
  return (await (await server.send('POST', '/v2/attachments', { name })).json()) as {
    id: string
    upload_url: string
  }
}

/** As Python's urllib does: `Connection: close`, and no look at the response before everything is sent. */
async function sendThenRead({ method, url, headers, bytes }: BlockingRequest): Promise<number | undefined> {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  const head = Object.entries({
    ...headers,
    host: hostname,
    connection: 'close',
    'content-length': bytes.length,
  }).map(([name, value]) => `${name}: ${value}`)
  socket.pause()
  socket.write([`${method} ${pathname}${search} HTTP/1.1`, ...head, '', ''].join('\r\n'))
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
  const [answer] = (await once(socket.resume(), 'data')) as [Buffer]
  socket.destroy()
  return Number(String(answer).split(' ')[1])
}

interface BlockingRequest {
  method: string
  url: string
  headers: Record<string, string>
  bytes: Buffer
}

it('tells also a client that ends the connection with its request, and sends all of it first', async () => {
  const { upload_url } = await initialize('big.bin')
  const bytes = Buffer.alloc(20_000_000)
  const headers = { 'content-type': 'application/json' }
  const refused = [
    ['PUT', upload_url.replace('signature=', 'signature=x'), 403],
    ['PUT', upload_url, 413],
    ['POST', `${server.url}/v1/runs/create`, 401],
    ['POST', `${server.url}/session`, 415],
  ] as const
  for (const [method, url, status] of refused) {
    const sent = status === 415 ? { 'content-type': 'text/plain' } : headers
    expect(await sendThenRead({ method, url, headers: sent, bytes }), url).toBe(status)
  }
})
