import type { IssuedKey } from '@runledger/protocol'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
})

afterAll(() => service.stop())

async function create(...args: string[]): Promise<IssuedKey> {
  const { out, err } = await service.run(['keys', 'create', ...args, '--json'])
  expect(err).toBe('')
  return JSON.parse(out) as IssuedKey
}

it('runledger keys create prints a key that may do what was asked for, and no more', async () => {
  const { code, out, err } = await service.run(['keys', 'create', 'Reader', '--role', 'viewer'])
  expect({ code, err }).toEqual({ code: 0, err: 'It is not shown again.\n' })
  const env = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: out.trim() }
  expect((await service.run(['runs'], { env })).code).toBe(0)
  const refused = await service.run(['keys', 'list'], { env })
  expect(refused.code).toBe(1)
  expect(refused.err).toContain('This needs a key with the role admin. This key has the role viewer.')
})

it('runledger keys create --user issues a key of that user', async () => {
  await service.run(['call', 'createUser', '--body', '{"email": "ada@example.com", "name": "Ada"}'])
  const { key } = await create('Laptop of Ada', '--role', 'member', '--user', 'Ada@Example.com')
  const env = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: key }
  const { out } = await service.run(['call', 'listUsers', 'current=true'], { env })
  expect(JSON.parse(out)).toMatchObject([{ email: 'ada@example.com', role: 'member' }])
})

it.each([
  [
    'of an unknown user',
    ['--role', 'viewer', '--user', 'unknown@example.com'],
    'no user has the e-mail address',
  ],
  ['of a user without a role', ['--user', 'ada@example.com'], '--user needs --role'],
])('runledger keys create refuses a key %s', async (_, options, message) => {
  const { code, err } = await service.run(['keys', 'create', 'Key', ...options])
  expect(code).toBe(2)
  expect(err).toContain(message)
})

it('runledger keys list shows what each key may do, its end and its last use, and no key', async () => {
  await create('Laptop', '--role', 'member', '--expires', '2100-01-01T12:00:00Z')
  const { key, id } = await create('CI', '--procedure', service.procedureId)
  const { out } = await service.run(['keys', 'list'])
  const rows = out.split('\n').map((row) => row.split(/  +/))
  expect(rows.find(([name]) => name === 'CI')).toEqual(
    expect.arrayContaining([`project ${service.procedureId}`, id]),
  )
  expect(rows.find(([name]) => name === 'Laptop')).toEqual(expect.arrayContaining(['member', '2100-01-01']))
  expect(out).not.toContain(key)
})

it('runledger keys revoke ends a key at once', async () => {
  const { id, key } = await create('Lost', '--role', 'admin')
  expect((await service.run(['keys', 'revoke', id])).out).toBe(`Key ${id} is revoked.\n`)
  const env = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: key }
  expect((await service.run(['runs'], { env })).err).toContain('401')
  const { out } = await service.run(['keys', 'list', '--json'])
  const listed = (JSON.parse(out) as { data: { id: string; revoked_at: string | null }[] }).data
  expect(listed.find((each) => each.id === id)?.revoked_at).not.toBeNull()
})

it.each([
  ['no kind', []],
  ['two kinds', ['--role', 'viewer', '--procedure', 'FVT1']],
])('runledger keys create refuses %s', async (_what, args) => {
  const { code, err } = await service.run(['keys', 'create', 'Key', ...args])
  expect(code).toBe(2)
  expect(err).toContain('say what the key may do, by one of --role, --procedure and --station')
})
