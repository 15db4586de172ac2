import type { AuditEntry, IssuedKey } from '@runledger/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Database } from '../../storage/database/database'
import { startTestServer, type TestServer } from '../../testing/start-test-server'

let server: TestServer
let database: Database

beforeEach(async () => {
  server = await startTestServer({}, { wrapDatabase: (plain) => (database = plain) })
})

afterEach(() => server.stop())

async function send<Body>(method: string, path: string, body?: unknown): Promise<Body> {
  const response = await server.send(method, path, body)
  expect(response.status).toBe(200)
  return (await response.json()) as Body
}

async function list(filter = ''): Promise<AuditEntry[]> {
  return (await send<{ data: AuditEntry[] }>('GET', `/v2/audit?${filter}`)).data
}

it('has the key of the first start, created by the service', async () => {
  const entries = await list('operations=upkeep')
  expect(entries).toMatchObject([
    {
      actor: { kind: 'service', id: null, name: null, key: null },
      address: null,
      subject: { kind: 'key', name: 'Local credentials file' },
      after: { kind: 'user', role: 'admin' },
    },
  ])
})

it('has who signed in, with which key and from where', async () => {
  const response = await server.send('POST', '/session', { key: server.apiKey }, { authorization: '' })
  expect(response.status).toBe(200)
  const [entry] = await list('operations=signIn')
  expect(entry).toMatchObject({
    actor: { kind: 'user', name: 'Local user', key: { name: 'Local credentials file' } },
    address: '127.0.0.1',
    subject: { kind: 'session', name: 'Local user' },
    after: { until: expect.any(String) as unknown },
  })
})

it('has who signed out', async () => {
  const response = await server.send('POST', '/session', { key: server.apiKey }, { authorization: '' })
  const cookie = response.headers.get('set-cookie')?.split(';')[0] ?? ''
  for (let count = 0; count < 2; count += 1)
    await server.send('DELETE', '/session', undefined, { authorization: '', cookie })
  expect(await list('operations=signOut')).toMatchObject([
    { actor: { name: 'Local user' }, subject: { kind: 'session' }, before: { sessions: 1 }, after: null },
  ])
})

it('has no entry for a refused sign-in', async () => {
  const before = await list()
  const response = await server.send('POST', '/session', { key: 'rl_user_wrong' }, { authorization: '' })
  expect(response.status).toBe(401)
  expect(await list()).toEqual(before)
})

it('has what a setting was and is, and nothing for a setting that stays', async () => {
  await send('PATCH', '/v2/settings', { 'organization.slug': 'acme' })
  await send('PATCH', '/v2/settings', { 'organization.slug': 'acme' })
  const entries = await list('subject_kinds=settings')
  expect(entries).toHaveLength(1)
  expect(entries[0]?.after).toEqual({ 'organization.slug': 'acme' })
  expect(Object.keys(entries[0]?.before ?? {})).toEqual(['organization.slug'])
})

it('shows that the address of a webhook changed, without its secret part', async () => {
  const url = 'https://hooks.example.com/services/T000/SECRET'
  const { id } = await send<{ id: string }>('POST', '/v2/webhooks', { name: 'Team', url, format: 'slack' })
  await send('PATCH', `/v2/webhooks/${id}`, { url: `${url}2` })
  const entries = await list(`subject_ids=${id}`)
  expect(entries.map(({ operation }) => operation)).toEqual(['updateWebhook', 'createWebhook'])
  expect(entries[0]).toMatchObject({
    before: { whole_url: `… (${url.length + 2} characters)` },
    after: { whole_url: `… (${url.length + 3} characters)` },
  })
  await send('PATCH', `/v2/webhooks/${id}`, { url: `${url}3` })
  expect(await list(`subject_ids=${id}`)).toHaveLength(3)
  expect(JSON.stringify(entries)).not.toContain('SECRET')
})

it('keeps the names of what was renamed and deleted since', async () => {
  const station = await send<{ id: string }>('POST', '/v2/stations', { name: 'Bench 1' })
  const key = await send<IssuedKey>('POST', '/v2/keys', {
    kind: 'station',
    name: 'Bench key',
    station_id: station.id,
  })
  await send('DELETE', `/v2/keys/${key.id}`)
  await send('PATCH', `/v2/stations/${station.id}`, { name: 'Bench 2' })
  await send('DELETE', `/v2/stations/${station.id}`)
  const ofStation = await list(`subject_ids=${station.id}`)
  expect(ofStation.map(({ subject }) => subject.name)).toEqual(['Bench 2', 'Bench 1', 'Bench 1'])
  const [revoked] = await list(`subject_ids=${key.id}&operations=deleteKey`)
  expect(revoked).toMatchObject({ subject: { name: 'Bench key' }, before: { station: 'Bench 1' } })
})

it('shortens long texts', async () => {
  const { id } = await send<{ id: string }>('POST', '/v2/procedures', { name: 'Long' })
  const excludedBranchPatterns = Array.from({ length: 1_000 }, (_, index) => `branch-${index}/*`)
  await send('PATCH', `/v2/procedures/${id}`, { excludedBranchPatterns })
  const [entry] = await list(`subject_ids=${id}`)
  expect(entry?.after).toEqual({
    excludedBranchPatterns: expect.stringMatching(/^… \(\d+ characters\)$/) as unknown,
  })
})

it('has only the rules and the members of lists that changed', async () => {
  const name = 'retention.days_by_procedure'
  const rules: Record<string, number> = {}
  for (let count = 0; count < 60; count += 1) {
    const { id } = await send<{ id: string }>('POST', '/v2/procedures', { name: `Test ${count}` })
    rules[id] = 365
  }
  const [first = '', second = ''] = Object.keys(rules)
  await send('PATCH', '/v2/settings', { [name]: rules })
  await send('PATCH', '/v2/settings', { [name]: { ...rules, [first]: 100 } })
  const [changed] = await list('subject_kinds=settings')
  expect(changed).toMatchObject({ before: { [`${name}.${first}`]: 365 } })
  expect(changed?.after).toEqual({ [`${name}.${first}`]: 100 })

  await send('DELETE', `/v2/procedures/${second}`)
  const settings = await send<Record<string, object>>('GET', '/v2/settings')
  expect(Object.keys(settings[name] ?? {})).toHaveLength(59)
  const [removed] = await list('subject_kinds=settings')
  expect(removed).toMatchObject({ operation: 'deleteProcedure', after: {} })
  expect(removed?.before).toEqual({ [`${name}.${second}`]: 365 })
})

it('has the names of metadata, and no value of it', async () => {
  const [procedure] = (await send<{ data: { id: string }[] }>('GET', '/v2/procedures')).data
  const metadata = { TOKEN: 'ghp_secret', shift: 'early' }
  const { id } = await send<{ id: string }>('POST', '/v2/runs', {
    procedure_id: procedure?.id,
    outcome: 'PASS',
    started_at: '2026-11-20T09:30:00.000Z',
    ended_at: '2026-11-20T09:30:01.000Z',
    serial_number: 'UNIT-1',
    part_number: 'PART-1',
    metadata,
  })
  await send('PATCH', `/v2/runs/${id}/metadata`, { metadata: { TOKEN: null, shift: 'later' } })
  const [entry] = await list(`subject_ids=${id}`)
  expect(entry?.before).toEqual({ TOKEN: '… (12 characters)', shift: '… (7 characters)' })
  expect(entry?.after).toEqual({ shift: '… (7 characters)' })
})

it('has whose key was revoked', async () => {
  const body = { name: 'Ada', email: 'ada@example.com' }
  const { id: user_id } = await send<{ id: string }>('POST', '/v2/users', body)
  const key = { kind: 'user', role: 'member', name: 'Laptop', user_id }
  const { id } = await send<IssuedKey>('POST', '/v2/keys', key)
  await send('DELETE', `/v2/keys/${id}`)
  const entries = await list(`subject_ids=${id}`)
  expect(entries).toMatchObject([{ before: { user: 'Ada', user_id } }, { after: { user: 'Ada', user_id } }])
})

it('has no entry for sessions if there were none', async () => {
  await send('DELETE', '/v2/sessions')
  const before = await list()
  await send('DELETE', '/v2/sessions')
  expect(await list()).toEqual(before)
})

it('pages by cursor, newest first', async () => {
  for (const name of ['One', 'Two', 'Three']) await send('POST', '/v2/stations', { name })
  const names: string[] = []
  let cursor: number | null = 0
  while (cursor !== null) {
    const page: { data: AuditEntry[]; meta: { next_cursor: number | null } } = await send(
      'GET',
      `/v2/audit?operations=createStation&limit=2&cursor=${cursor}`,
    )
    names.push(...page.data.map(({ subject }) => subject.name))
    cursor = page.meta.next_cursor
  }
  expect(names).toEqual(['Three', 'Two', 'One'])
})

describe('the database', () => {
  it.each(['update', 'delete'] as const)('refuses to %s an entry', async (change) => {
    const before = await list()
    const attempt = database.write(async ({ query }) => {
      await (change === 'update'
        ? query.updateTable('audit_entries').set({ actor_name: 'Somebody else' }).execute()
        : query.deleteFrom('audit_entries').execute())
    })
    await expect(attempt).rejects.toThrow(/entries of the audit log are never changed or deleted/)
    expect(await list()).toEqual(before)
  })

  it('refuses to replace an entry', async () => {
    const before = await list()
    const attempt = database.write(async (transaction) => {
      const [last] = await transaction.all<{ id: number }>('SELECT max(id) AS id FROM audit_entries', [])
      const columns = 'created_at_us, operation, actor_kind, subject_kind, subject_id, subject_name'
      await transaction.run(
        `INSERT OR REPLACE INTO audit_entries (id, public_id, ${columns})
          SELECT id + 1, public_id, ${columns} FROM audit_entries WHERE id = ?`,
        [last?.id ?? 0],
      )
    })
    await expect(attempt).rejects.toThrow(/entries of the audit log are never changed or deleted/)
    expect(await list()).toEqual(before)
  })

  it('keeps no entry of a change that fails', async () => {
    const before = await list()
    const response = await server.send('PATCH', '/v2/settings', {
      'organization.slug': 'acme',
      'retention.days_by_procedure': { UNKNOWN: 30 },
    })
    expect(response.status).toBe(400)
    expect(await list()).toEqual(before)
  })
})
