import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { TakenShard } from '../../../packages/protocol/src/index'
import type { ContractCase, ContractInput } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

const put = ({ procedureId, unique }: World, change: Record<string, unknown> = {}): ContractInput => ({
  params: { id: randomUUID() },
  body: {
    procedure_id: procedureId,
    group: unique('ci'),
    started_at: '2026-11-20T09:30:00.000Z',
    framework: 'vitest',
    shard_index: 3,
    shard_total: 4,
    ...change,
  },
})

const take = ({ procedureId, unique }: World, change: Record<string, unknown> = {}): ContractInput => ({
  body: {
    procedure_id: procedureId,
    build: unique('ci'),
    framework: 'vitest',
    shard_index: 1,
    shard_total: 2,
    files: ['a.test.ts', 'b.test.ts'],
    ...change,
  },
})

export const BUILD_CASES: readonly ContractCase[] = [
  {
    operation: 'getBuild',
    answers: 'ok',
    input: async (world) => {
      const input = put(world)
      await world.client.putExecution(input as never)
      return { params: { group: (input.body as { group: string }).group } }
    },
  },
  { operation: 'getBuild', answers: 'NOT_FOUND', input: () => ({ params: { group: UNKNOWN_ID } }) },
  { operation: 'putExecution', answers: 'ok', input: (world) => put(world) },
  {
    operation: 'putExecution',
    answers: 'BAD_REQUEST',
    when: 'without a group',
    input: (world) => put(world, { group: '' }),
  },
  {
    operation: 'putExecution',
    answers: 'BAD_REQUEST',
    when: 'shard 5 of 4',
    input: (world) => put(world, { shard_index: 5 }),
  },
  {
    operation: 'putExecution',
    answers: 'BAD_REQUEST',
    when: 'an id that is no UUID',
    input: (world) => ({ ...put(world), params: { id: 'seven' } }),
  },
  {
    operation: 'putExecution',
    answers: 'NOT_FOUND',
    input: (world) => put(world, { procedure_id: UNKNOWN_ID }),
  },
  { operation: 'takeShard', answers: 'ok', input: (world) => take(world) },
  {
    operation: 'takeShard',
    answers: 'ok',
    when: 'without files',
    input: (world) => take(world, { files: [] }),
    check: (answer: TakenShard) => expect(answer).toMatchObject({ files: [], absent: [] }),
  },
  {
    operation: 'takeShard',
    answers: 'BAD_REQUEST',
    when: 'shard 3 of 2',
    input: (world) => take(world, { shard_index: 3 }),
  },
  {
    operation: 'takeShard',
    answers: 'NOT_FOUND',
    input: (world) => take(world, { procedure_id: UNKNOWN_ID }),
  },
  {
    operation: 'takeShard',
    answers: 'CONFLICT',
    when: 'the files of another suite',
    input: async (world) => {
      const build = world.unique('ci')
      await world.client.takeShard(take(world, { build }) as never)
      return take(world, { build, shard_index: 2, files: ['x.test.ts', 'y.test.ts'] })
    },
  },
  {
    operation: 'putExecution',
    answers: 'CONFLICT',
    when: 'the same id in another group',
    input: async (world) => {
      const first = put(world)
      await world.client.putExecution(first as never)
      return { ...put(world), params: first.params ?? {} }
    },
  },
]
