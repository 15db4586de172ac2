import { SESSION_TOKEN_HEADER, type SignedIn, type SignedOut, type User } from '@runledger/protocol'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { findFreePort } from '../../testing/find-free-port'
import {
  CLIENT_ID,
  CLIENT_SECRET,
  type OpenIdProvider,
  startOpenIdProvider,
} from '../../testing/openid-provider'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
let provider: OpenIdProvider

/** A browser as far as redirects and cookies go. */
class Visitor {
  readonly #cookies = new Map<string, string>()

  /** Follows redirects until the page of sign-in, and returns its address without the origin. */
  async follow(address: string): Promise<string> {
    for (let current = address; ;) {
      const response = await this.open(current)
      const location = response.headers.get('location')
      if (location === null)
        throw new Error(`${current} answered ${response.status}: ${await response.text()}`)
      current = new URL(location, current).href
      if (new URL(current).pathname === '/sign-in') return current.slice(new URL(current).origin.length)
    }
  }

  async open(address: string): Promise<Response> {
    const { port } = new URL(address)
    const own = [...this.#cookies].filter(([name]) => name.startsWith(`${port} `))
    const cookie = own.map(([name, value]) => `${name.slice(port.length + 1)}=${value}`).join('; ')
    const response = await fetch(address, { redirect: 'manual', headers: { cookie } })
    for (const sent of response.headers.getSetCookie()) {
      const [pair = ''] = sent.split(';')
      const at = pair.indexOf('=')
      this.#cookies.set(`${port} ${pair.slice(0, at)}`, pair.slice(at + 1))
    }
    return response
  }

  signIn(next = ''): Promise<string> {
    return this.follow(
      `${server.url}/session/provider${next === '' ? '' : `?next=${encodeURIComponent(next)}`}`,
    )
  }
}

type Session = Readonly<Record<string, string>>

/** Signs in, up to the session that the page of sign-in opens. */
async function openSession(subject: string): Promise<Session> {
  provider.setNext(subject)
  const page = await new Visitor().signIn()
  return exchange(new URLSearchParams(page.split('?')[1]).get('code') ?? '')
}

async function exchange(code: string): Promise<Session> {
  const response = await server.send('POST', '/session', { code }, { authorization: '' })
  expect(response.status).toBe(200)
  const { token } = (await response.json()) as SignedIn
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  return { authorization: '', cookie, [SESSION_TOKEN_HEADER]: token }
}

async function readUser(session: Session): Promise<User | undefined> {
  const response = await server.send('GET', '/v2/users?current=true', undefined, session)
  if (response.status === 401) return undefined
  expect(response.status).toBe(200)
  return ((await response.json()) as User[])[0]
}

async function start(parts: { hasRefreshTokens?: boolean } = {}): Promise<void> {
  const port = await findFreePort()
  provider = await startOpenIdProvider({ serviceUrl: `http://127.0.0.1:${port}`, ...parts })
  const env = { RUNLEDGER_OIDC_CLIENT_SECRET: CLIENT_SECRET }
  const oidcRoles = 'admin=leads;member=developers;viewer=staff'
  const flags = { port, oidcIssuer: provider.issuer, oidcClientId: CLIENT_ID, oidcRoles }
  server = await startTestServer(flags, { env })
}

async function stop(): Promise<void> {
  await server.stop()
  await provider.stop()
}

beforeAll(() => start())

afterAll(() => stop())

beforeEach(() => {
  provider.setBroken(false)
  provider.accounts.set('alice', {
    email: 'alice@example.com',
    email_verified: true,
    name: 'Alice',
    groups: ['staff', 'developers'],
  })
})

describe('a sign-in at a provider', () => {
  it('opens a session with the highest role of the groups, for a user of its own', async () => {
    const session = await openSession('alice')
    const user = await readUser(session)
    expect(user).toMatchObject({ name: 'Alice', email: 'alice@example.com', role: 'member' })
    const again = await readUser(await openSession('alice'))
    expect(again?.id).toBe(user?.id)
  })

  it('goes on to the page that it began on', async () => {
    provider.setNext('alice')
    expect(await new Visitor().signIn('/runs?branch=main')).toMatch(
      /^\/sign-in\?code=[\w-]{43}&next=%2Fruns%3Fbranch%3Dmain$/,
    )
  })

  it('is that of the user with the e-mail address, if the provider has verified it', async () => {
    const created = await server.send('POST', '/v2/users', { email: 'Bob@Example.com', name: 'Bob' })
    const { id } = (await created.json()) as User
    provider.accounts.set('bob', { email: 'bob@example.com', email_verified: true, groups: ['staff'] })
    expect((await readUser(await openSession('bob')))?.id).toBe(id)
    provider.accounts.set('eve', { email: 'bob@example.com', email_verified: false, groups: ['staff'] })
    const eve = await readUser(await openSession('eve'))
    expect(eve).toMatchObject({ name: 'eve', email: '' })
    expect(eve?.id).not.toBe(id)
  })

  it('opens nothing for an account without a role, one that cancels, or a state of another browser', async () => {
    provider.accounts.set('guest', { groups: ['guests'] })
    provider.setNext('guest')
    expect(await new Visitor().signIn()).toBe('/sign-in?failed=no-role')
    provider.setNext(undefined)
    expect(await new Visitor().signIn('/runs')).toBe('/sign-in?failed=cancelled&next=%2Fruns')
    expect(await new Visitor().follow(`${server.url}/session/provider/callback?code=x&state=y`)).toBe(
      '/sign-in?failed=expired',
    )
    const users = (await (await server.send('GET', '/v2/users')).json()) as User[]
    expect(users.map(({ name }) => name)).not.toContain('guest')
  })

  it('is in the audit log, with the user that it created', async () => {
    provider.accounts.set('carol', { email: 'carol@example.com', email_verified: true, groups: ['staff'] })
    await openSession('carol')
    const { data } = (await (await server.send('GET', '/v2/audit')).json()) as { data: unknown[] }
    expect(data.slice(0, 2)).toMatchObject([
      { operation: 'signIn', subject: { kind: 'session' }, after: { role: 'viewer' } },
      {
        operation: 'signIn',
        subject: { kind: 'user', name: 'carol@example.com' },
        after: { email: 'carol@example.com', issuer: provider.issuer, subject: 'carol' },
      },
    ])
  })
})

describe('an attack on the flow', () => {
  it('with a callback that was used already opens nothing', async () => {
    provider.setNext('alice')
    const visitor = new Visitor()
    const callback = await followUntilCallback(visitor)
    expect(await visitor.follow(callback)).toMatch(/^\/sign-in\?code=/)
    expect(await visitor.follow(callback)).toBe('/sign-in?failed=expired')
  })

  it('with the callback of another browser, or another state or issuer, opens nothing', async () => {
    provider.setNext('alice')
    const callback = await followUntilCallback(new Visitor())
    const victim = new Visitor()
    await followUntilCallback(victim)
    expect(await victim.follow(callback)).toBe('/sign-in?failed=failed')
    for (const change of [{ state: 'other' }, { iss: 'https://other.example.com' }]) {
      const visitor = new Visitor()
      const changed = new URL(await followUntilCallback(visitor))
      for (const [name, value] of Object.entries(change)) changed.searchParams.set(name, value)
      expect(await visitor.follow(changed.href), JSON.stringify(change)).toBe('/sign-in?failed=failed')
    }
    expect(server.logged).toHaveLength(3)
    expect(server.logged.join(' ')).not.toMatch(/code=|[\w-]{43}/)
  })

  it('with the code of the page a second time opens nothing', async () => {
    provider.setNext('alice')
    const code = new URLSearchParams((await new Visitor().signIn()).split('?')[1]).get('code') ?? ''
    await exchange(code)
    expect((await server.send('POST', '/session', { code }, { authorization: '' })).status).toBe(401)
  })
})

async function followUntilCallback(visitor: Visitor): Promise<string> {
  for (let current = `${server.url}/session/provider`; ;) {
    const location = (await visitor.open(current)).headers.get('location') ?? ''
    current = new URL(location, current).href
    if (current.startsWith(`${server.url}/session/provider/callback`)) return current
  }
}

describe.each([true, false])('a session by a provider, with refresh tokens %s', (hasRefreshTokens) => {
  beforeAll(async () => {
    await stop()
    await start({ hasRefreshTokens })
  })

  it('has the role that the groups have within 5 minutes', async () => {
    const session = await openSession('alice')
    provider.accounts.set('alice', { groups: ['staff', 'leads'] })
    expect((await readUser(session))?.role).toBe('member')
    server.advance(299)
    expect((await readUser(session))?.role).toBe('admin')
    provider.accounts.set('alice', { groups: ['staff'] })
    server.advance(299)
    expect((await readUser(session))?.role).toBe('viewer')
  })

  it.each([
    ['its groups', { groups: ['guests'] }],
    ['its account', undefined],
  ])('ends within 5 minutes without %s', async (_what, account) => {
    const session = await openSession('alice')
    if (account) provider.accounts.set('alice', account)
    else provider.accounts.delete('alice')
    server.advance(299)
    expect(await readUser(session)).toBeUndefined()
    provider.accounts.set('alice', { groups: ['leads'] })
    expect(await readUser(session)).toBeUndefined()
  })

  it('goes on for an hour while the provider does not answer', async () => {
    const session = await openSession('alice')
    provider.setBroken(true)
    for (let minutes = 0; minutes < 55; minutes += 5) {
      server.advance(300)
      expect((await readUser(session))?.role).toBe('member')
    }
    provider.setBroken(false)
    server.advance(240)
    expect((await readUser(session))?.role).toBe('member')
    provider.setBroken(true)
    server.advance(3600)
    expect(await readUser(session)).toBeUndefined()
  })

  it('asks the provider once for many requests, which get the same answer', async () => {
    const session = await openSession('alice')
    const readMany = () =>
      Promise.all(Array.from({ length: 20 }, async () => (await readUser(session))?.role))
    for (const [groups, role] of [
      [['staff'], 'viewer'],
      [['leads'], 'admin'],
      [[], undefined],
    ] as const) {
      provider.accounts.set('alice', { groups })
      server.advance(299)
      const asked = provider.countRequests()
      expect(new Set(await readMany())).toEqual(new Set([role]))
      expect(provider.countRequests() - asked).toBe(hasRefreshTokens ? 2 : 1)
    }
  })
})

it('A sign-out ends the session, and leads to where that of the provider ends', async () => {
  const session = await openSession('alice')
  const response = await server.send('DELETE', '/session', undefined, session)
  const { continue_at: address = '' } = (await response.json()) as SignedOut
  expect(address).toContain(`${provider.issuer}/session/end?`)
  expect(new URL(address).searchParams.get('post_logout_redirect_uri')).toBe(`${server.url}/sign-in`)
  expect(await readUser(session)).toBeUndefined()
})

it('A provider that does not answer leads back to the page of sign-in', async () => {
  await stop()
  await start()
  provider.setBroken(true)
  expect(await new Visitor().signIn('/builds')).toBe('/sign-in?failed=failed&next=%2Fbuilds')
  provider.setBroken(false)
  provider.accounts.set('alice', { groups: ['staff'] })
  provider.setNext('alice')
  expect(await new Visitor().signIn()).toMatch(/^\/sign-in\?code=/)
})

it('Without a provider there is nothing to open', async () => {
  const other = await startTestServer()
  const response = await fetch(`${other.url}/session/provider`, { redirect: 'manual' })
  expect(response.status).toBe(404)
  await other.stop()
})
