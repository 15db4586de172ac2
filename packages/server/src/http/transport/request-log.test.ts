import type { IssuedKey } from '@runledger/protocol'
import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type LogFacts, maskSecrets } from '../../base/log'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
const lines: { message: string; facts: LogFacts | undefined }[] = []

beforeAll(async () => {
  const log = {
    error: () => undefined,
    warn: () => undefined,
    info: (message: string, facts?: LogFacts) => void lines.push({ message, facts }),
  }
  server = await startTestServer({}, { log, config: { trustProxy: '127.0.0.1' } })
})

afterAll(() => server.stop())

function findLine(part: string) {
  return lines.find(({ message }) => message.includes(part))
}

it('knows a key in a path for one, however it was encoded', async () => {
  const key = server.apiKey.replaceAll('_', '%5f').replace('r', '%72')
  expect((await server.send('DELETE', `/v2/keys/${key}`)).status).toBe(400)
  await expect
    .poll(() => maskSecrets(findLine('DELETE')?.message ?? ''))
    .toBe('DELETE /v2/keys/rl_user_… 400')
  await server.send('GET', '/v2/units/A%20%0a%2fB')
  await expect.poll(() => findLine('/v2/units')?.message).toBe('GET /v2/units/A%20%0a%2fB 404')
})

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8::1'],
  ['[31m nobody', undefined],
])('names as the sender of a forwarded request what is an address: %j', async (forwarded, from) => {
  const path = `/from-${encodeURIComponent(forwarded).length}`
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  socket.write(`GET ${path} HTTP/1.1\r\nhost: a\r\nx-forwarded-for: ${forwarded}\r\n\r\n`)
  await once(socket, 'data')
  socket.destroy()
  await expect.poll(() => findLine(path)).toBeDefined()
  expect(findLine(path)?.facts?.['from']).toBe(from)
})

it('writes and counts a request that breaks off', async () => {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  const head = ['POST /v2/keys HTTP/1.1', 'host: a', `authorization: Bearer ${server.apiKey}`]
  socket.write([...head, 'content-type: application/json', 'content-length: 9', '', '{'].join('\r\n'))
  await new Promise((resolve) => setTimeout(resolve, 200))
  socket.destroy()
  await expect.poll(() => findLine('POST /v2/keys')?.message).toBe('POST /v2/keys 499')
  expect(findLine('POST /v2/keys')?.facts).toMatchObject({
    from: '127.0.0.1',
    by: expect.stringMatching(/^user:/) as string,
  })
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain(
    'runledger_http_requests_total{operation="createKey",status="499"} 1',
  )
})

it('names a project key by its id', async () => {
  const body = { kind: 'project', name: 'CI', procedure_id: server.procedureId }
  const { id, key } = (await (await server.send('POST', '/v2/keys', body)).json()) as IssuedKey
  await server.send('GET', '/v2/settings', undefined, { authorization: `Bearer ${key}` })
  await expect.poll(() => findLine('GET /v2/settings 403')?.facts?.['by']).toBe(`key:${id}`)
})
