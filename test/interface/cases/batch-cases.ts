import { expect } from 'vitest'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'
import { createUnit } from './unit-cases'

/** A batch with one unit; its number. */
async function createBatch(world: World): Promise<string> {
  const number = world.unique('Batch')
  await world.client.createBatch({ body: { number } })
  const serialNumber = await createUnit(world)
  await world.client.updateUnit({ params: { serial_number: serialNumber }, body: { batch_number: number } })
  return number
}

export const BATCH_CASES: readonly ContractCase[] = [
  {
    operation: 'listBatches',
    answers: 'ok',
    input: async (world) => ({
      query: { numbers: [(await createBatch(world)).toUpperCase()], part_numbers: ['pn-unit'], cursor: null },
    }),
    check: ({ data }: { data: unknown[] }) => expect(data).toMatchObject([{ unit_count: 1 }]),
  },
  {
    operation: 'listBatches',
    answers: 'BAD_REQUEST',
    input: () => ({ query: { sort_by: 'colour' as never } }),
  },
  {
    operation: 'createBatch',
    answers: 'ok',
    input: (world) => ({ body: { number: world.unique('New-batch') } }),
  },
  { operation: 'createBatch', answers: 'BAD_REQUEST', input: () => ({ body: {} }) },
  {
    operation: 'createBatch',
    answers: 'CONFLICT',
    input: async (world) => ({ body: { number: (await createBatch(world)).toUpperCase() } }),
    check: ({ message }: { message: string }) => expect(message).toContain('already exists'),
  },
  {
    operation: 'getBatch',
    answers: 'ok',
    input: async (world) => ({ params: { number: await createBatch(world) } }),
    check: ({ units }: { units: unknown[] }) => expect(units).toHaveLength(1),
  },
  { operation: 'getBatch', answers: 'NOT_FOUND', input: () => ({ params: { number: 'no-such-batch' } }) },
  {
    operation: 'updateBatch',
    answers: 'ok',
    input: async (world) => ({
      params: { number: await createBatch(world) },
      body: { new_number: world.unique('Renumbered') },
    }),
    check: async ({ id }: { id: string }, world, { body }) => {
      const { new_number: number } = body as { new_number: string }
      expect((await world.client.getBatch({ params: { number } })).id).toBe(id)
    },
  },
  {
    operation: 'updateBatch',
    answers: 'BAD_REQUEST',
    input: () => ({ params: { number: 'no-such-batch' }, body: { new_number: null } }),
  },
  {
    operation: 'updateBatch',
    answers: 'NOT_FOUND',
    input: () => ({ params: { number: 'no-such-batch' }, body: { new_number: 'other' } }),
  },
  {
    operation: 'updateBatch',
    answers: 'CONFLICT',
    input: async (world) => ({
      params: { number: await createBatch(world) },
      body: { new_number: await createBatch(world) },
    }),
  },
  {
    operation: 'deleteBatch',
    answers: 'ok',
    input: async (world) => ({ params: { number: await createBatch(world) } }),
    check: ({ id }: { id: string[] }) => expect(id).toHaveLength(1),
  },
  { operation: 'deleteBatch', answers: 'NOT_FOUND', input: () => ({ params: { number: 'no-such-batch' } }) },
]
