import { createHash, createHmac } from 'node:crypto'
import { expect } from 'vitest'
import {
  type Page,
  type QuarantineEntry,
  QuarantineListSchema,
  type SignedQuarantineList,
} from '../../../packages/protocol/src/index'
import type { ContractCase, ContractInput } from '../contract-case'
import type { World } from '../world'
import { makeTest } from './history-cases'
import { UNKNOWN_ID } from './unknown-id'

const FINGERPRINT = 'ab'.repeat(32)

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** In a procedure of its own, so that no case fills the quarantine of another. */
async function makeTestApart(world: World): Promise<string> {
  const identifier = world.unique('QUARANTINE')
  const { id } = await world.client.createProcedure({ body: { name: identifier, identifier } })
  return (await makeTest({ ...world, procedureId: id })).id
}

const ENTRY = {
  fingerprint: FINGERPRINT,
  owner: '@cart',
  reason: 'waits for the new scale',
  ends_at: inDays(7),
}

async function makeRequest(world: World, change: object = {}): Promise<ContractInput> {
  return { body: { test_id: await makeTestApart(world), ...ENTRY, ...change } }
}

async function addEntry(world: World): Promise<QuarantineEntry> {
  return world.client.addToQuarantine((await makeRequest(world)) as never)
}

async function endEntry(world: World): Promise<string> {
  const { id } = await addEntry(world)
  await world.client.endQuarantine({ params: { id } })
  return id
}

const ADD_CASES: readonly ContractCase[] = [
  {
    operation: 'addToQuarantine',
    answers: 'ok',
    input: makeRequest,
    check: (entry: QuarantineEntry, _world, { body }) => {
      const { test_id: id, ...sent } = body as { test_id: string }
      expect(entry).toMatchObject({ ...sent, link: null, is_live: true, failures: 0, test: { id } })
    },
  },
  {
    operation: 'addToQuarantine',
    answers: 'ok',
    when: 'any error',
    input: (world) =>
      makeRequest(world, { fingerprint: null, any_error: true, link: 'https://example.com/1' }),
    check: (entry: QuarantineEntry) => {
      expect(entry).toMatchObject({ fingerprint: null, message: null, link: 'https://example.com/1' })
    },
  },
  ...[
    ['neither an error nor any', { fingerprint: undefined }],
    ['an error and any', { any_error: true }],
    ['no fingerprint', { fingerprint: 'x' }],
    ['an end too far away', { ends_at: inDays(31) }],
    ['an end in the past', { ends_at: inDays(-1) }],
    ['a script as its link', { link: 'javascript:alert(1)' }],
    ['a blank reason', { reason: ' ' }],
  ].map(([when, change]): ContractCase => ({
    operation: 'addToQuarantine',
    answers: 'BAD_REQUEST',
    when: when as string,
    input: (world) => makeRequest(world, change as object),
  })),
  {
    operation: 'addToQuarantine',
    answers: 'NOT_FOUND',
    input: () => ({ body: { test_id: UNKNOWN_ID, ...ENTRY } }),
  },
  {
    operation: 'addToQuarantine',
    answers: 'CONFLICT',
    when: 'the same once more',
    input: async (world) => {
      const { test } = await addEntry(world)
      return { body: { test_id: test.id, ...ENTRY } }
    },
  },
]

const CHANGE_CASES: readonly ContractCase[] = [
  {
    operation: 'updateQuarantine',
    answers: 'ok',
    input: async (world) => ({
      params: { id: (await addEntry(world)).id },
      body: { owner: '@till', ends_at: inDays(30) },
    }),
    check: (entry: QuarantineEntry, _world, { body }) => {
      expect(entry).toMatchObject({ ...(body as object), reason: ENTRY.reason })
      expect(entry.extended_at).not.toBeNull()
    },
  },
  {
    operation: 'updateQuarantine',
    answers: 'BAD_REQUEST',
    when: 'an end too far away',
    input: async (world) => ({
      params: { id: (await addEntry(world)).id },
      body: { ends_at: inDays(31) },
    }),
  },
  {
    operation: 'updateQuarantine',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID }, body: {} }),
  },
  {
    operation: 'updateQuarantine',
    answers: 'CONFLICT',
    when: 'one that has ended',
    input: async (world) => ({ params: { id: await endEntry(world) }, body: { ends_at: inDays(1) } }),
  },
  {
    operation: 'endQuarantine',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await addEntry(world)).id } }),
    check: (entry: QuarantineEntry) => {
      expect(entry).toMatchObject({ is_live: false })
      expect(entry.ended_by).not.toBeNull()
    },
  },
  { operation: 'endQuarantine', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'endQuarantine',
    answers: 'CONFLICT',
    when: 'one that has ended',
    input: async (world) => ({ params: { id: await endEntry(world) } }),
  },
]

const LIST_CASES: readonly ContractCase[] = [
  {
    operation: 'listQuarantine',
    answers: 'ok',
    input: async (world) => ({ query: { test_ids: [(await addEntry(world)).test.id] } }),
    check: ({ data }: Page<QuarantineEntry>) => {
      expect(data).toMatchObject([{ fingerprint: FINGERPRINT, is_live: true }])
    },
  },
  {
    operation: 'listQuarantine',
    answers: 'ok',
    when: 'those that have ended too',
    input: async (world) => {
      const { id, test } = await addEntry(world)
      await world.client.endQuarantine({ params: { id } })
      return { query: { procedure_ids: [test.procedure.id], ended: true } }
    },
    check: ({ data }: Page<QuarantineEntry>) => {
      expect(data).toMatchObject([{ fingerprint: FINGERPRINT, is_live: false }])
    },
  },
  {
    operation: 'listQuarantine',
    answers: 'BAD_REQUEST',
    when: 'a limit of 0',
    input: () => ({ query: { limit: 0 } }),
  },
  {
    operation: 'getQuarantineList',
    answers: 'ok',
    as: ['user', 'station', 'project'],
    input: ({ procedureId }) => ({ query: { procedure_id: procedureId } }),
    check: ({ list, signature }: SignedQuarantineList, { keys, procedureId }) => {
      expect(QuarantineListSchema.parse(JSON.parse(list))).toMatchObject({
        procedure_id: procedureId,
        entries: [],
      })
      const signatures = [keys.user, keys.station, keys.project].map((key = '') => {
        const digest = createHash('sha256').update(key).digest('base64url')
        return createHmac('sha256', digest).update(list).digest('base64url')
      })
      expect(signatures).toContain(signature)
    },
  },
  {
    operation: 'getQuarantineList',
    answers: 'BAD_REQUEST',
    when: 'without a procedure',
    input: () => ({}),
  },
  {
    operation: 'getQuarantineList',
    answers: 'NOT_FOUND',
    input: () => ({ query: { procedure_id: UNKNOWN_ID } }),
  },
  {
    operation: 'getQuarantineList',
    answers: 'FORBIDDEN',
    when: 'a procedure that is not linked',
    as: ['other-station', 'other-project'],
    input: ({ procedureId }) => ({ query: { procedure_id: procedureId } }),
  },
]

export const QUARANTINE_CASES: readonly ContractCase[] = [...ADD_CASES, ...CHANGE_CASES, ...LIST_CASES]
