import type { IssuedKey, SessionItem } from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

const respond = createResponse(() => server)

/** Its cookie. */
async function signIn(key: string, userAgent: string): Promise<string> {
  const response = await server.send('POST', '/session', { key }, { 'user-agent': userAgent })
  return response.headers.get('set-cookie')?.split(';')[0] ?? ''
}

async function list(headers: Record<string, string> = {}): Promise<SessionItem[]> {
  return (await (await server.send('GET', '/v2/sessions', undefined, headers)).json()) as SessionItem[]
}

it('lists the sessions of the user, without those with a higher role', async () => {
  const created = { kind: 'user', role: 'viewer', name: 'Wall' }
  const { key } = await respond<IssuedKey>('POST', '/v2/keys', created)
  await signIn(server.apiKey, 'Browser '.repeat(100))
  const cookie = await signIn(key, 'Wall')
  const sessions = await list()
  expect(sessions.map(({ role, user_agent: name }) => [role, name])).toEqual([
    ['viewer', 'Wall'],
    ['admin', 'Browser '.repeat(100).slice(0, 255)],
  ])
  expect(sessions[0]).toMatchObject({
    opened_by: 'key',
    key_name: 'Wall',
    address: '127.0.0.1',
    is_current: false,
  })
  const own = await list({ authorization: '', cookie })
  expect(own.map(({ user_agent: name, is_current }) => [name, is_current])).toEqual([['Wall', true]])
  const ended = await server.send('DELETE', `/v2/sessions/${sessions[1]?.id}`, undefined, {
    authorization: `Bearer ${key}`,
  })
  expect(ended.status).toBe(404)
})

it('ends one session alone, and no request of it is answered from then on', async () => {
  const [kept, ended] = [await signIn(server.apiKey, 'Kept'), await signIn(server.apiKey, 'Ended')]
  const found = (await list()).find(({ user_agent: name }) => name === 'Ended')
  await respond('DELETE', `/v2/sessions/${found?.id}`)
  const statuses = [kept, ended].map(async (cookie) => {
    return (await server.send('GET', '/v2/runs', undefined, { authorization: '', cookie })).status
  })
  expect(await Promise.all(statuses)).toEqual([200, 401])
})
