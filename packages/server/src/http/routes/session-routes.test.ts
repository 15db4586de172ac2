import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../../base/log'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

const NO_KEY = { authorization: '' }

let server: TestServer

beforeEach(async () => {
  server = await startTestServer()
})

afterEach(() => server.stop())

describe('sessions', () => {
  async function signIn(body: unknown): Promise<Response> {
    return server.send('POST', '/session', body, NO_KEY)
  }

  function cookieOf(response: Response): string {
    return response.headers.get('set-cookie')?.split(';')[0] ?? ''
  }

  it('are opened with a key, read, and end with DELETE', async () => {
    const response = await signIn({ key: server.apiKey })
    expect(response.headers.get('set-cookie')).toMatch(/HttpOnly; SameSite=Strict/)
    const headers = { ...NO_KEY, cookie: `other=1; ${cookieOf(response)}` }
    expect((await server.send('GET', '/v2/runs', undefined, headers)).status).toBe(200)
    const wrongKey = { ...headers, authorization: 'Bearer wrong' }
    expect((await server.send('GET', '/v2/runs', undefined, wrongKey)).status).toBe(401)
    expect((await server.send('DELETE', '/session', undefined, headers)).status).toBe(200)
    expect((await server.send('GET', '/v2/runs', undefined, headers)).status).toBe(401)
  })

  it('change something with their token: another site can make a browser send the cookie', async () => {
    const response = await signIn({ key: server.apiKey })
    const { token } = (await response.json()) as { token: string }
    const cookie = { ...NO_KEY, cookie: cookieOf(response) }
    const create = async (headers: Record<string, string>) =>
      (await server.send('POST', '/v2/procedures', { name: 'Final test' }, headers)).status
    expect(await create(cookie)).toBe(401)
    expect(await create({ ...cookie, 'runledger-session-token': `${token}x` })).toBe(401)
    expect(await create({ ...NO_KEY, 'runledger-session-token': token })).toBe(401)
    const session = { ...cookie, 'runledger-session-token': token }
    expect(await create({ ...session, authorization: 'Bearer wrong' })).toBe(401)
    expect(await create(session)).toBe(200)
    expect((await server.send('DELETE', '/session', undefined, cookie)).status).toBe(200)
    expect(await create(session)).toBe(401)
  })

  it('are opened by the code of a sign-in link, once, within 15 minutes', async () => {
    const code = async () => new URL(await server.running.createSignInLink()).searchParams.get('code')
    const oneTimeCode = await code()
    expect((await signIn({ code: oneTimeCode })).status).toBe(200)
    expect((await signIn({ code: oneTimeCode })).status).toBe(401)
    const late = await code()
    server.advance(15 * 60 + 1)
    expect((await signIn({ code: late })).status).toBe(401)
    expect((await signIn({})).status).toBe(400)
  })

  it('have a cookie that lasts as long as they do', async () => {
    const lifeOf = async (body: unknown) =>
      Number(/Max-Age=(\d+)/.exec((await signIn(body)).headers.get('set-cookie') ?? '')?.[1])
    expect(await lifeOf({ key: server.apiKey })).toBe(30 * 86_400)
    const code = new URL(await server.running.createSignInLink()).searchParams.get('code')
    expect(await lifeOf({ code })).toBe(7 * 86_400)
  })

  it('end after 30 days', async () => {
    const headers = { ...NO_KEY, cookie: cookieOf(await signIn({ key: server.apiKey })) }
    server.advance(30 * 86_400 + 1)
    expect((await server.send('GET', '/v2/runs', undefined, headers)).status).toBe(401)
  })

  it('are refused with 429 after ten failures in a row, but to nobody who has a right key', async () => {
    const statuses = []
    for (let attempt = 0; attempt < 12; attempt += 1) statuses.push((await signIn({ key: 'wrong' })).status)
    expect(statuses.slice(0, 6)).toEqual(Array(6).fill(401))
    const refused = await signIn({ code: 'wrong' })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await signIn({ key: server.apiKey })).status).toBe(200)
  })

  it('of the link that the start prints end with any key of its user, and after seven days', async () => {
    const open = async () => {
      const code = new URL(await server.running.createSignInLink()).searchParams.get('code')
      return { ...NO_KEY, cookie: cookieOf(await signIn({ code })) }
    }
    const read = async (session: Record<string, string>) =>
      (await server.send('GET', '/v2/runs', undefined, session)).status
    const session = await open()
    const body = { kind: 'user', name: 'Laptop' }
    const { id } = (await (await server.send('POST', '/v2/keys', body)).json()) as { id: string }
    expect(await read(session)).toBe(200)
    await server.send('DELETE', `/v2/keys/${id}`)
    expect(await read(session)).toBe(401)
    const old = await open()
    server.advance(7 * 86_400 + 1)
    expect(await read(old)).toBe(401)
  })

  it('all end with DELETE /v2/sessions, and so do links that were not used', async () => {
    const session = { ...NO_KEY, cookie: cookieOf(await signIn({ key: server.apiKey })) }
    const code = new URL(await server.running.createSignInLink()).searchParams.get('code')
    const { count } = (await (await server.send('DELETE', '/v2/sessions')).json()) as { count: number }
    expect(count).toBeGreaterThan(0)
    expect((await server.send('GET', '/v2/runs', undefined, session)).status).toBe(401)
    expect((await signIn({ code })).status).toBe(401)
  })
})

describe('requests', () => {
  it('have an id in their response', async () => {
    const ids = await Promise.all(
      ['/healthz', '/v2/runs', '/nowhere'].map(async (path) =>
        (await fetch(server.url + path)).headers.get('x-request-id'),
      ),
    )
    for (const id of ids) expect(id).toMatch(/^[\da-f-]{36}$/)
    expect(new Set(ids).size).toBe(3)
    const named = await fetch(`${server.url}/healthz`, { headers: { 'x-request-id': 'mine' } })
    expect(named.headers.get('x-request-id')).not.toBe('mine')
  })

  it('come from whom a trusted proxy says, and from nobody else', async () => {
    const from = async (trustProxy: string | undefined) => {
      const lines: string[] = []
      const sink = { isTerminal: false, write: (line: string) => void lines.push(line) }
      const proxied = await startTestServer({ trustProxy }, { log: createLog('info', sink) })
      const headers = {
        'x-forwarded-for': '192.0.2.1',
        'x-request-id': 'of-the-proxy',
        authorization: `Bearer ${proxied.apiKey}`,
      }
      await fetch(`${proxied.url}/v2/runs?search_query=private`, { headers })
      await proxied.stop()
      const all = lines.join('')
      expect(all).not.toContain(proxied.apiKey)
      expect(all).not.toContain('private')
      return lines.map(
        (line) => JSON.parse(line) as { from?: string; request?: string; message: string; by?: string },
      )
    }
    expect(await from('loopback')).toContainEqual(
      expect.objectContaining({ message: 'GET /v2/runs 200', from: '192.0.2.1', request: 'of-the-proxy' }),
    )
    for (const nobody of [undefined, '192.0.2.7'])
      expect((await from(nobody)).map(({ request }) => request)).not.toContain('of-the-proxy')
    expect(await from(undefined)).toContainEqual(
      expect.objectContaining({
        message: 'GET /v2/runs 200',
        from: '127.0.0.1',
        by: expect.stringMatching(/^user:/) as string,
      }),
    )
  })
})
