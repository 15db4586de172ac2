import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type AuditEntry,
  OPERATION_ROUTES,
  OPERATIONS,
  type OperationName,
} from '../../packages/protocol/src/index'
import { ask } from './ask'
import { isUser, listAllowed } from './askers'
import { CASES } from './cases'
import type { ContractCase } from './contract-case'
import { OPERATION_NAMES } from './generated-cases'
import { createWorld, type World } from './world'

/** They add records, which name their creator, or report work in progress; docs/interface.md#audit-log. */
const ADDING: readonly OperationName[] = [
  'createV1Run',
  'createV1Runs',
  'createLenientV1Run',
  'createRun',
  'updateRun',
  'createRunAttachment',
  'initializeV1Upload',
  'syncV1Upload',
  'initializeAttachment',
  'finalizeAttachment',
  'importV1File',
  'importStructuredFiles',
  'importTabularFile',
  'putExecution',
  'takeShard',
  'createPart',
  'createRevision',
  'createBatch',
  'createUnit',
  'createUnitAttachment',
]

const audited = OPERATION_NAMES.filter(
  (name) => OPERATION_ROUTES[name].method !== 'GET' && !ADDING.includes(name),
)

/** Operations, each with a case in which it changes something. */
const changing = new Set<OperationName>()

let world: World

beforeAll(async () => {
  world = await createWorld()
})

afterAll(() => world.stop())

async function newestEntry(): Promise<AuditEntry | undefined> {
  return (await world.client.listAuditEntries({ query: { limit: 1 } })).data[0]
}

/** Newest first. */
async function listSince(last: AuditEntry | undefined): Promise<AuditEntry[]> {
  const { data } = await world.client.listAuditEntries({ query: { limit: 100 } })
  const index = data.findIndex(({ id }) => id === last?.id)
  return index === -1 ? data : data.slice(0, index)
}

async function askOnce(one: ContractCase): Promise<AuditEntry[]> {
  const as = one.as?.[0] ?? listAllowed(one.operation)[0] ?? 'user'
  const uploadAttachment: World['uploadAttachment'] = (name) =>
    world.uploadAttachment(name, isUser(as) ? 'user' : as)
  const input = await one.input({ ...world, uploadAttachment })
  const last = await newestEntry()
  const { status } = await ask(world, { operation: one.operation, input, as, prefix: '' })
  if (one.answers === 'ok') expect(status).toBe(200)
  else expect(status).not.toBe(200)
  return listSince(last)
}

const cases = CASES.filter(({ operation }) => OPERATION_ROUTES[operation].method !== 'GET')

describe('an operation that succeeds', () => {
  it.each(cases.filter(({ answers }) => answers === 'ok').map((one) => [titleOf(one), one] as const))(
    '%s',
    async (_, one) => {
      const entries = await askOnce(one)
      if (!audited.includes(one.operation)) {
        expect(entries).toEqual([])
        return
      }
      if (entries.length > 0) changing.add(one.operation)
      for (const entry of entries) {
        expect(entry).toMatchObject({ operation: one.operation, address: '127.0.0.1' })
        expect(entry.actor).toMatchObject({ id: expect.any(String), name: expect.any(String) })
        expect(entry.subject.id).not.toBe('')
        expect(entry.subject.name).not.toBe('')
      }
    },
  )

  it('has an entry for every operation that changes what is on record', () => {
    expect(audited.filter((name) => !changing.has(name))).toEqual([])
  })
})

it.each(cases.filter(({ answers }) => answers !== 'ok').map((one) => [titleOf(one), one] as const))(
  'a refused operation leaves no entry: %s',
  async (_, one) => {
    expect(await askOnce(one)).toEqual([])
  },
)

it('no entry has a secret', async () => {
  const secrets = Object.values(world.keys).filter((key) => key !== undefined)
  let cursor: number | null | undefined
  do {
    const page = await world.client.listAuditEntries({ query: { limit: 100, ...(cursor ? { cursor } : {}) } })
    const text = JSON.stringify(page)
    for (const secret of secrets) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/rl_\w+_[\w-]{43}|whsec_/)
    cursor = page.meta.next_cursor
  } while (cursor)
})

it('every operation of user keys that writes is audited', () => {
  const written = OPERATION_NAMES.filter((name) => OPERATION_ROUTES[name].method !== 'GET')
  const ofUsers = written.filter((name) => OPERATIONS[name].access === 'user-key')
  expect(ofUsers.filter((name) => !audited.includes(name))).toEqual([])
})

function titleOf({ operation, answers, when }: ContractCase): string {
  return [operation, answers, when].filter((part) => part !== undefined).join(', ')
}
