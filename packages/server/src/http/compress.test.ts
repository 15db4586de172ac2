import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
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

it('does not take a body that is packed', async () => {
  const headers = { 'content-encoding': 'gzip' }
  expect((await server.send('POST', '/v1/runs', '{}', headers)).status).toBe(400)
})
