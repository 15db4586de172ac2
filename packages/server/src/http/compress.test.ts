import { type Operation, OPERATION_ROUTES, type OperationName, OPERATIONS } from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

/** The response as it is on the wire. */
async function ask(path: string, headers: Record<string, string>) {
  const options = { headers: { authorization: `Bearer ${server.apiKey}`, ...headers } }
  return new Promise<{ headers: NodeJS.Dict<string | string[]>; bytes: Buffer }>((resolve, reject) => {
    const sent = request(new URL(path, server.url), options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ headers: response.headers, bytes: Buffer.concat(chunks) }))
    })
    sent.on('error', reject).end()
  })
}

it('answers a run of 5,000 steps in a tenth of its size, where the client takes it', async () => {
  const step = {
    name: 'checks a voltage',
    step_passed: true,
    started_at: '2026-11-20T09:00:00Z',
    duration: 'PT1S',
  }
  const steps = Array.from({ length: 5_000 }, (_, index) => ({ ...step, measurement_value: index / 7 }))
  const { id } = await server.createRun({ steps })
  const plain = await ask(`/v2/runs/${id}`, {})
  const packed = await ask(`/v2/runs/${id}`, { 'accept-encoding': 'gzip, br' })
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-type': 'application/json' })
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 10)
  const [one, other] = [plain.bytes, gunzipSync(packed.bytes)].map(
    (bytes) => JSON.parse(String(bytes)) as { id: string },
  )
  expect(one?.id).toBe(id)
  expect(other?.id).toBe(id)
})

it('leaves alone what is short, and attachments', async () => {
  const accept = { 'accept-encoding': 'gzip' }
  expect((await ask('/healthz', accept)).headers['content-encoding']).toBeUndefined()
  const { id } = await server.createRun()
  const attachment = await server.upload('a.txt', 'a'.repeat(100_000))
  await server.send('PATCH', `/v2/runs/${id}`, { attachments: [attachment] })
  const { attachments } = await server.getRun(id)
  const { headers, bytes } = await ask(attachments[0]?.download_url ?? '', accept)
  expect([headers['content-encoding'], bytes.length]).toEqual([undefined, 100_000])
})

describe('a compressed body', () => {
  const COMPRESSED = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
  const operations = (Object.keys(OPERATIONS) as OperationName[]).filter(
    (name) => (OPERATIONS[name] as Operation).body !== undefined,
  )
  const send = (method: string, path: string, headers: Record<string, string>) =>
    fetch(new URL(path, server.url), {
      method,
      headers: { authorization: `Bearer ${server.apiKey}`, ...headers },
      body: gzipSync('{}'),
    })

  it.each(operations)('is refused by %s', async (name) => {
    const { method, path } = OPERATION_ROUTES[name]
    const response = await send(method, path.replaceAll(/\{\w+\}/g, randomUUID()), COMPRESSED)
    expect([response.status, await response.json()]).toMatchObject([
      415,
      {
        code: 'UNSUPPORTED_MEDIA_TYPE',
        message:
          'The header Content-Encoding "gzip" says that the body is compressed. This service does not decompress bodies. Send it uncompressed, without the header.',
      },
    ])
  })

  it('is refused where attachments are sent, and signing in', async () => {
    expect((await send('POST', '/session', COMPRESSED)).status).toBe(415)
    const made = await server.send('POST', '/v2/attachments', { name: 'a.json' })
    const { upload_url: address } = (await made.json()) as { upload_url: string }
    expect((await send('PUT', address, COMPRESSED)).status).toBe(415)
    expect((await send('PUT', address, { 'content-encoding': 'Identity' })).status).toBe(200)
  })
})
