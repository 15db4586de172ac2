import { expect } from 'vitest'
import type { IssuedKey } from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

async function issue(world: World, change: { expires_at?: string } = {}): Promise<IssuedKey> {
  return world.client.createKey({ body: { kind: 'user', name: world.unique('Key'), ...change } })
}

async function statusWith(world: World, key: string): Promise<number> {
  const response = await fetch(`${world.server.url}/v2/runs`, { headers: { authorization: `Bearer ${key}` } })
  return response.status
}

async function listAll(world: World) {
  return (await world.client.listKeys({ query: { limit: 100 } })).data
}

export const KEY_CASES: readonly ContractCase[] = [
  {
    operation: 'createKey',
    answers: 'ok',
    when: 'a user key that expires',
    input: () => ({ body: { kind: 'user', name: 'Laptop', expires_at: '2100-01-01T00:00:00+01:00' } }),
    check: async (answer: IssuedKey, world) => {
      expect(answer).toMatchObject({
        kind: 'user',
        role: 'admin',
        name: 'Laptop',
        hint: `rl_user_…${answer.key.slice(-4)}`,
        expires_at: '2099-12-31T23:00:00.000Z',
        station: null,
      })
      expect(await statusWith(world, answer.key)).toBe(200)
    },
  },
  {
    operation: 'createKey',
    answers: 'ok',
    when: 'a key with a role',
    input: () => ({ body: { kind: 'user', name: 'Reader', role: 'viewer' } }),
    check: async (answer: IssuedKey, world) => {
      expect(answer.role).toBe('viewer')
      const listed = (await listAll(world)).find(({ id }) => id === answer.id)
      expect(listed?.role).toBe('viewer')
    },
  },
  {
    operation: 'createKey',
    answers: 'ok',
    when: 'a key of another user',
    input: async (world) => {
      const email = `${world.unique('ada')}@example.com`
      const { id } = await world.client.createUser({ body: { email, name: 'Ada' } })
      return { body: { kind: 'user', name: 'Laptop', role: 'viewer', user_id: id } }
    },
    check: async (answer: IssuedKey, world, { body }) => {
      const headers = { authorization: `Bearer ${answer.key}` }
      const response = await world.server.send('GET', '/v2/users?current=true', undefined, headers)
      const { user_id: id } = body as { user_id: string }
      expect(await response.json()).toMatchObject([{ id, name: 'Ada', role: 'viewer' }])
      const { data } = await world.client.listAuditEntries({ query: { subject_ids: [answer.id] } })
      expect(data).toMatchObject([{ operation: 'createKey', after: { user: 'Ada', role: 'viewer' } }])
    },
  },
  {
    operation: 'createKey',
    answers: 'NOT_FOUND',
    when: 'the user is unknown',
    input: () => ({ body: { kind: 'user', name: 'Laptop', user_id: UNKNOWN_ID } }),
  },
  {
    operation: 'createKey',
    answers: 'ok',
    when: 'a station key',
    input: (world) => ({ body: { kind: 'station', name: 'Bench', station_id: world.stationId } }),
    check: (answer: IssuedKey, world) => {
      expect(answer.key).toMatch(/^rl_station_[\w-]{43}$/)
      expect(answer.role).toBeNull()
      expect(answer.station).toMatchObject({ id: world.stationId, name: 'Linked station' })
    },
  },
  {
    operation: 'createKey',
    answers: 'ok',
    when: 'a project key',
    input: () => ({ body: { kind: 'project', name: 'CI', procedure_id: 'contract' } }),
    check: async (answer: IssuedKey, world) => {
      expect(answer.key).toMatch(/^rl_project_[\w-]{43}$/)
      const procedure = { id: world.procedureId, identifier: 'CONTRACT', name: 'Contract procedure' }
      expect(answer).toMatchObject({ kind: 'project', role: null, station: null, procedure })
      const listed = (await listAll(world)).find(({ id }) => id === answer.id)
      expect(listed).toMatchObject({ procedure })
    },
  },
  {
    operation: 'createKey',
    answers: 'NOT_FOUND',
    when: 'the procedure is unknown',
    input: () => ({ body: { kind: 'project', name: 'CI', procedure_id: UNKNOWN_ID } }),
  },
  {
    operation: 'createKey',
    answers: 'NOT_FOUND',
    when: 'the station is unknown',
    input: () => ({ body: { kind: 'station', name: 'Bench', station_id: UNKNOWN_ID } }),
  },
  ...[
    ['no procedure is given', { kind: 'project', name: 'CI' }],
    ['a project key names a role', { kind: 'project', name: 'CI', role: 'viewer', procedure_id: 'CONTRACT' }],
    [
      'a station key names a user',
      { kind: 'station', name: 'Bench', station_id: UNKNOWN_ID, user_id: UNKNOWN_ID },
    ],
    ['a user key names a procedure', { kind: 'user', name: 'CI', procedure_id: 'CONTRACT' }],
    ['no station is given', { kind: 'station', name: 'Bench' }],
    ['a user key names a station', { kind: 'user', name: 'Bench', station_id: UNKNOWN_ID }],
    ['the role is none', { kind: 'user', name: 'Bench', role: 'owner' }],
    ['a station key names a role', { kind: 'station', name: 'Bench', role: 'admin', station_id: UNKNOWN_ID }],
    ['it would be expired', { kind: 'user', name: 'Bench', expires_at: '2020-01-01T00:00:00Z' }],
    ['the kind is none', { kind: 'robot', name: 'Bench' }],
  ].map(([when, body]) => ({
    operation: 'createKey' as const,
    answers: 'BAD_REQUEST' as const,
    when: when as string,
    input: () => ({ body }),
  })),
  {
    operation: 'listKeys',
    answers: 'ok',
    input: async (world) => (await issue(world), { query: {} }),
    check: (answer: unknown, world) => expect(JSON.stringify(answer)).not.toContain(world.keys.user ?? ''),
  },
  { operation: 'listKeys', answers: 'BAD_REQUEST', input: () => ({ query: { limit: 0 } }) },
  {
    operation: 'regenerateKey',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await issue(world)).id } }),
    check: async ({ id, key }: IssuedKey, world, { params }) => {
      expect(id).toBe(params?.['id'])
      const again = await world.client.regenerateKey({ params: { id } })
      expect([await statusWith(world, key), await statusWith(world, again.key)]).toEqual([401, 200])
    },
  },
  { operation: 'regenerateKey', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'regenerateKey',
    answers: 'NOT_FOUND',
    when: 'the key is revoked',
    input: async (world) => {
      const { id } = await issue(world)
      await world.client.deleteKey({ params: { id } })
      return { params: { id } }
    },
  },
  {
    operation: 'regenerateKey',
    answers: 'BAD_REQUEST',
    when: 'the key is expired',
    input: async (world) => {
      const soon = new Date(Date.now() + 500).toISOString()
      const { id } = await issue(world, { expires_at: soon })
      await new Promise((resolve) => setTimeout(resolve, 600))
      return { params: { id } }
    },
  },
  {
    operation: 'deleteKey',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await issue(world)).id } }),
    check: async ({ id }: { id: string }, world) => {
      const revoked = (await listAll(world)).find((key) => key.id === id)
      expect(revoked?.revoked_at).toEqual(expect.any(String))
    },
  },
  { operation: 'deleteKey', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'deleteKey',
    answers: 'BAD_REQUEST',
    when: 'it is the last key of an admin that does not expire',
    input: async (world) => {
      const usable = (await listAll(world)).filter(
        ({ role, revoked_at }) => role === 'admin' && revoked_at === null,
      )
      const own = usable.find(({ hint }) => hint.endsWith((world.keys.user ?? '').slice(-4)))
      for (const { id } of usable) if (id !== own?.id) await world.client.deleteKey({ params: { id } })
      return { params: { id: own?.id ?? '' } }
    },
  },
]
