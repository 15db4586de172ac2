import type { IssuedKey, SignInLink } from '@runledger/protocol'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Database } from '../../storage/database/database'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

const NO_KEY = { authorization: '' }

let server: TestServer
let database: Database

beforeEach(async () => {
  server = await startTestServer({}, { wrapDatabase: (plain) => (database = plain) })
})

afterEach(() => server.stop())

async function issueKey(change: object = {}): Promise<IssuedKey> {
  const response = await server.send('POST', '/v2/keys', { kind: 'user', name: 'Laptop', ...change })
  return (await response.json()) as IssuedKey
}

function ask(headers: Record<string, string>): Promise<Response> {
  return server.send('POST', '/v2/sign-in-links', undefined, headers)
}

/** The code of a link that a key asked for. */
async function getCode({ key }: Pick<IssuedKey, 'key'>): Promise<string | null> {
  const { url } = (await (await ask({ authorization: `Bearer ${key}` })).json()) as SignInLink
  return new URL(url).searchParams.get('code')
}

/** The headers of the session that a code opens, and the status of the attempt. */
async function signIn(code: string | null): Promise<{ status: number; session: Record<string, string> }> {
  const response = await server.send('POST', '/session', { code }, NO_KEY)
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { status: response.status, session: { ...NO_KEY, cookie } }
}

async function read(session: Record<string, string>): Promise<number> {
  return (await server.send('GET', '/v2/runs', undefined, session)).status
}

it('signs in once, within 15 minutes', async () => {
  const code = await getCode({ key: server.apiKey })
  const { session } = await signIn(code)
  expect(await read(session)).toBe(200)
  expect((await signIn(code)).status).toBe(401)
  const late = await getCode({ key: server.apiKey })
  server.advance(15 * 60 + 1)
  expect((await signIn(late)).status).toBe(401)
})

it('says until when it works, is kept by no cache, and is not logged', async () => {
  const response = await ask({})
  expect(response.headers.get('cache-control')).toBe('no-store')
  const { url, expires_at } = (await response.json()) as SignInLink
  expect(url).toMatch(`${server.url}/sign-in?code=`)
  const lifeMs = Date.parse(expires_at) - Date.now()
  expect(lifeMs).toBeGreaterThan(14 * 60_000)
  expect(lifeMs).toBeLessThanOrEqual(15 * 60_000)
  expect(server.logged).toEqual([])
})

it('is made for a user key alone: neither for a session nor for a station', async () => {
  const { session } = await signIn(await getCode({ key: server.apiKey }))
  expect((await ask(session)).status).toBe(401)
  const { id } = (await (await server.send('POST', '/v2/stations', { name: 'Bench' })).json()) as {
    id: string
  }
  const { key } = await issueKey({ kind: 'station', station_id: id })
  expect((await ask({ authorization: `Bearer ${key}` })).status).toBe(403)
})

it('ends with the key that asked for it, and so does the session that it opened', async () => {
  const key = await issueKey()
  const { session } = await signIn(await getCode(key))
  const unused = await getCode(key)
  expect(await read(session)).toBe(200)
  await server.send('POST', `/v2/keys/${key.id}/regenerate`)
  expect(await read(session)).toBe(401)
  expect((await signIn(unused)).status).toBe(401)
})

it('is not made when the key is regenerated while it is asked for', async () => {
  const key = await issueKey()
  let goOn = () => {}
  const others = database.write(() => new Promise<void>((resolve) => (goOn = resolve)))
  const regenerated = server.send('POST', `/v2/keys/${key.id}/regenerate`)
  await new Promise((resolve) => setTimeout(resolve, 300))
  const asked = ask({ authorization: `Bearer ${key.key}` })
  await new Promise((resolve) => setTimeout(resolve, 300))
  goOn()
  await others
  expect([(await regenerated).status, (await asked).status]).toEqual([200, 401])
})

it('signs nobody in once the key has expired', async () => {
  const key = await issueKey({ expires_at: new Date(Date.now() + 600_000).toISOString() })
  const code = await getCode(key)
  server.advance(700)
  expect((await signIn(code)).status).toBe(401)
})

it('opens a session that lasts no longer than the key', async () => {
  const dayMs = 86_400_000
  const key = await issueKey({ expires_at: new Date(Date.now() + 10 * dayMs).toISOString() })
  const { session } = await signIn(await getCode(key))
  expect(await read(session)).toBe(200)
  server.advance(11 * 86_400)
  expect(await read(session)).toBe(401)
})
