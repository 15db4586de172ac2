import type { IssuedKey, KeyListItem, Page } from '@runledger/protocol'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createResponse, startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
const answer = createResponse(() => server)

beforeAll(async () => {
  server = await startTestServer()
})

afterAll(() => server.stop())

function issue(change: object = {}): Promise<IssuedKey> {
  return answer('POST', '/v2/keys', { kind: 'user', name: 'Key', ...change })
}

async function issueForStation(): Promise<{ station: string; key: IssuedKey }> {
  const { id } = await answer<{ id: string }>('POST', '/v2/stations', { name: 'Bench' })
  return { station: id, key: await issue({ kind: 'station', station_id: id }) }
}

async function ask(key: string, path = '/v2/runs'): Promise<{ status: number; text: string }> {
  const response = await fetch(server.url + path, { headers: { authorization: `Bearer ${key}` } })
  return { status: response.status, text: await response.text() }
}

async function findListed(id: string): Promise<KeyListItem | undefined> {
  const { data } = await answer<Page<KeyListItem>>('GET', '/v2/keys?limit=100')
  return data.find((key) => key.id === id)
}

describe('keys', () => {
  it('answer the same 401 whether unknown, revoked, regenerated, expired, or of a deleted station', async () => {
    const unknown = await ask('rl_user_nobody')
    expect(unknown.status).toBe(401)

    const revoked = await issue()
    await answer('DELETE', `/v2/keys/${revoked.id}`)
    const replaced = await issue()
    const fresh = await answer<IssuedKey>('POST', `/v2/keys/${replaced.id}/regenerate`)
    const { station, key } = await issueForStation()
    expect((await ask(key.key)).status).toBe(200)
    await answer('DELETE', `/v2/stations/${station}`)
    for (const bad of [revoked, replaced, key]) expect(await ask(bad.key)).toEqual(unknown)
    expect((await ask(fresh.key)).status).toBe(200)
    expect(fresh.id).toBe(replaced.id)

    const expiring = await issue({ expires_at: new Date(Date.now() + 60_000).toISOString() })
    expect((await ask(expiring.key)).status).toBe(200)
    server.advance(61)
    expect(await ask(expiring.key)).toEqual(unknown)
  })

  it('are listed with a hint and nothing that could be used', async () => {
    const { id, key, ...rest } = await issue({ name: 'Listed' })
    const listed = await findListed(id)
    expect(listed).toEqual({
      id,
      ...rest,
      last_used_at: null,
      revoked_at: null,
      created_by_user: expect.objectContaining({ name: 'Local user' }) as unknown,
    })
    expect(JSON.stringify(listed)).not.toContain(key)
  })

  it('tell when they were last used, also after a restart', async () => {
    const data = await mkdtemp(join(tmpdir(), 'runledger-keys-'))
    const first = await startTestServer({ data })
    const create = { kind: 'user', name: 'Other' }
    const other = (await (await first.send('POST', '/v2/keys', create)).json()) as IssuedKey
    const listWith = async ({ url }: TestServer, key: string) => {
      const response = await fetch(`${url}/v2/keys`, { headers: { authorization: `Bearer ${key}` } })
      return ((await response.json()) as Page<KeyListItem>).data.map(({ name, last_used_at }) => ({
        name,
        last_used_at,
      }))
    }
    const [, own] = await listWith(first, first.apiKey)
    expect(Date.now() - Date.parse(own?.last_used_at ?? '')).toBeLessThan(10_000)
    await first.stop()
    const second = await startTestServer({ data })
    expect(await listWith(second, other.key)).toContainEqual(own)
    await second.stop()
    await rm(data, { recursive: true, force: true })
  })

  it('end the sessions that were opened with them', async () => {
    const signIn = async (key: string) => {
      const response = await server.send('POST', '/session', { key })
      const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
      return async () => (await fetch(`${server.url}/v2/runs`, { headers: { cookie } })).status
    }
    const key = await issue()
    const first = await signIn(key.key)
    expect(await first()).toBe(200)
    const fresh = await answer<IssuedKey>('POST', `/v2/keys/${key.id}/regenerate`)
    expect(await first()).toBe(401)
    const second = await signIn(fresh.key)
    expect(await second()).toBe(200)
    await answer('DELETE', `/v2/keys/${key.id}`)
    expect(await second()).toBe(401)
  })
})

describe('sessions of a viewer', () => {
  it('have its role, whether opened by the key or by a link that it requested', async () => {
    const { key } = await issue({ role: 'viewer' })
    const link = await fetch(`${server.url}/v2/sign-in-links`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    })
    const { url } = (await link.json()) as { url: string }
    for (const credentials of [{ key }, { code: new URL(url).searchParams.get('code') }]) {
      const session = await server.send('POST', '/session', credentials)
      const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
      const read = (path: string) => fetch(server.url + path, { headers: { cookie } })
      expect((await read('/v2/runs')).status).toBe(200)
      const keys = await read('/v2/keys')
      expect(keys.status).toBe(403)
      expect(await keys.json()).toMatchObject({
        message: 'This needs a key with the role admin. This key has the role viewer.',
      })
      expect(await (await read('/v2/users?current=true')).json()).toMatchObject([{ role: 'viewer' }])
    }
  })
})

describe('the key of the credentials file', () => {
  it('is replaced in the file when it is regenerated', async () => {
    const own = await startTestServer()
    const { data } = (await (await own.send('GET', '/v2/keys')).json()) as Page<KeyListItem>
    const response = await own.send('POST', `/v2/keys/${data[0]?.id}/regenerate`)
    const { key } = (await response.json()) as IssuedKey
    const file = JSON.parse(await readFile(join(own.dataDir, 'credentials.json'), 'utf8')) as object
    expect(file).toMatchObject({ api_key: key, procedure_id: own.procedureId, url: own.url })
    expect((await own.send('GET', '/v2/runs')).status).toBe(401)
    await own.stop()
  })

  it('stays at a start only if it is the key of an admin', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'runledger-credentials-'))
    const file = join(folder, 'credentials.json')
    const first = await startTestServer({ data: folder })
    const create = async (body: object) =>
      ((await (await first.send('POST', '/v2/keys', body)).json()) as IssuedKey).key
    const station = (await (await first.send('POST', '/v2/stations', { name: 'Bench' })).json()) as IssuedKey
    const others = [
      await create({ kind: 'user', name: 'Viewer', role: 'viewer' }),
      await create({ kind: 'station', name: 'Bench', station_id: station.id }),
      await create({ kind: 'project', name: 'CI', procedure_id: first.procedureId }),
    ]
    await first.stop()
    const startWith = async (key: string) => {
      const written = JSON.parse(await readFile(file, 'utf8')) as object
      await writeFile(file, JSON.stringify({ ...written, api_key: key }))
      const again = await startTestServer({ data: folder })
      expect((await again.send('GET', '/v2/keys')).status).toBe(200)
      await again.stop()
      return again.apiKey
    }
    for (const key of others) expect(await startWith(key)).not.toBe(key)
    expect(await startWith(first.apiKey)).toBe(first.apiKey)
    await rm(folder, { recursive: true, force: true })
  })

  it('cannot be deleted while no other key of an admin works without an end', async () => {
    const own = await startTestServer()
    const { data } = (await (await own.send('GET', '/v2/keys')).json()) as Page<KeyListItem>
    const path = `/v2/keys/${data[0]?.id}`
    const { id } = (await (await own.send('POST', '/v2/stations', { name: 'Bench' })).json()) as {
      id: string
    }
    await own.send('POST', '/v2/keys', { kind: 'station', name: 'Bench', station_id: id })
    await own.send('POST', '/v2/keys', { kind: 'user', name: 'Member', role: 'member' })
    const expires_at = new Date(Date.now() + 3_600_000).toISOString()
    await own.send('POST', '/v2/keys', { kind: 'user', name: 'Expiring', expires_at })
    expect((await own.send('DELETE', path)).status).toBe(400)
    await own.send('POST', '/v2/keys', { kind: 'user', name: 'Other' })
    expect((await own.send('DELETE', path)).status).toBe(200)
    expect((await own.send('GET', '/v2/runs')).status).toBe(401)
    await own.stop()
  })
})
