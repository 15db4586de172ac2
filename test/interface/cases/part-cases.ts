import { expect } from 'vitest'
import { UNKNOWN_ID } from './unknown-id'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'

const NONE = { part_number: 'no-such-part', revision_number: 'A' }

/** A part with the revisions A and B; its number. */
async function createPart(world: World): Promise<string> {
  const number = world.unique('Part')
  await world.client.createPart({ body: { number } })
  await world.client.createRevision({ params: { part_number: number }, body: { number: 'B' } })
  return number
}

/** A part whose revision A a unit and a run are of. */
async function createUsedPart(world: World): Promise<string> {
  const number = await createPart(world)
  const unit = { serial_number: world.unique('SN'), part_number: number, revision: 'A' }
  await world.client.createLenientV1Run({
    body: { procedure_id: world.procedureId, unit_under_test: unit, run_passed: true },
  })
  return number
}

const PARTS: readonly ContractCase[] = [
  {
    operation: 'listParts',
    answers: 'ok',
    input: async (world) => ({
      query: { search_query: (await createUsedPart(world)).toUpperCase(), procedure_ids: ['contract'] },
    }),
    check: ({ data }: { data: unknown[] }) =>
      expect(data).toMatchObject([
        {
          revisions: [
            { number: 'A', image: null },
            { number: 'B', image: null },
          ],
        },
      ]),
  },
  { operation: 'listParts', answers: 'BAD_REQUEST', input: () => ({ query: { limit: 0 } }) },
  {
    operation: 'createPart',
    answers: 'ok',
    input: (world) => ({
      body: { number: ` ${world.unique('New part')} `, name: null, revision_number: 'Z' },
    }),
  },
  { operation: 'createPart', answers: 'BAD_REQUEST', input: () => ({ body: { number: ' ' } }) },
  {
    operation: 'createPart',
    answers: 'CONFLICT',
    input: async (world) => ({ body: { number: (await createPart(world)).toLowerCase() } }),
    check: ({ message }: { message: string }) => expect(message).toContain('already exists'),
  },
  {
    operation: 'getPart',
    answers: 'ok',
    input: async (world) => ({ params: { number: (await createPart(world)).toUpperCase() } }),
  },
  { operation: 'getPart', answers: 'NOT_FOUND', input: () => ({ params: { number: 'no-such-part' } }) },
  {
    operation: 'updatePart',
    answers: 'ok',
    input: async (world) => ({
      params: { number: await createPart(world) },
      body: { new_number: world.unique('Renumbered'), name: 'Renamed' },
    }),
    check: (answer: object, _world, { body }) =>
      expect(answer).toMatchObject({ name: 'Renamed', number: (body as { new_number: string }).new_number }),
  },
  {
    operation: 'updatePart',
    answers: 'BAD_REQUEST',
    input: () => ({ params: { number: 'no-such-part' }, body: { name: '' } }),
  },
  {
    operation: 'updatePart',
    answers: 'NOT_FOUND',
    input: () => ({ params: { number: 'no-such-part' }, body: { name: 'Renamed' } }),
  },
  {
    operation: 'updatePart',
    answers: 'CONFLICT',
    input: async (world) => ({
      params: { number: await createPart(world) },
      body: { new_number: await createPart(world) },
    }),
  },
  {
    operation: 'deletePart',
    answers: 'ok',
    input: async (world) => ({ params: { number: await createPart(world) } }),
    check: ({ deletedRevisionIds: ids }: { deletedRevisionIds: string[] }) => expect(ids).toHaveLength(2),
  },
  { operation: 'deletePart', answers: 'NOT_FOUND', input: () => ({ params: { number: 'no-such-part' } }) },
  {
    operation: 'deletePart',
    answers: 'CONFLICT',
    input: async (world) => ({ params: { number: await createUsedPart(world) } }),
    check: ({ message }: { message: string }) => expect(message).toContain('1 unit and 1 run'),
  },
]

const REVISIONS: readonly ContractCase[] = [
  {
    operation: 'createRevision',
    answers: 'ok',
    input: async (world) => ({ params: { part_number: await createPart(world) }, body: { number: 'C' } }),
  },
  {
    operation: 'createRevision',
    answers: 'BAD_REQUEST',
    input: async (world) => ({ params: { part_number: await createPart(world) }, body: {} }),
  },
  {
    operation: 'createRevision',
    answers: 'NOT_FOUND',
    input: () => ({ params: { part_number: 'no-such-part' }, body: { number: 'C' } }),
  },
  {
    operation: 'createRevision',
    answers: 'CONFLICT',
    input: async (world) => ({ params: { part_number: await createPart(world) }, body: { number: 'b' } }),
    check: ({ message }: { message: string }) => expect(message).toContain('already exists'),
  },
  {
    operation: 'getRevision',
    answers: 'ok',
    input: async (world) => ({ params: { part_number: await createUsedPart(world), revision_number: 'a' } }),
    check: ({ units }: { units: unknown[] }) => expect(units).toHaveLength(1),
  },
  {
    operation: 'getRevision',
    answers: 'NOT_FOUND',
    when: 'the part is unknown',
    input: () => ({ params: NONE }),
  },
  {
    operation: 'getRevision',
    answers: 'NOT_FOUND',
    when: 'the part has no such revision',
    input: async (world) => ({ params: { part_number: await createPart(world), revision_number: 'Z' } }),
  },
  {
    operation: 'updateRevision',
    answers: 'ok',
    input: async (world) => ({
      params: { part_number: await createPart(world), revision_number: 'A' },
      body: { number: 'A1', image_id: await world.uploadAttachment('image.png') },
    }),
    check: async (answer: { id: string }, world, { params, body }) => {
      const { image_id: imageId } = body as { image_id: string }
      const path = { part_number: params?.['part_number'] ?? '', revision_number: 'A1' }
      expect(await world.client.getRevision({ params: path })).toMatchObject({ ...answer, image_id: imageId })
    },
  },
  {
    operation: 'updateRevision',
    answers: 'BAD_REQUEST',
    input: () => ({ params: NONE, body: { number: '' } }),
  },
  { operation: 'updateRevision', answers: 'NOT_FOUND', input: () => ({ params: NONE, body: {} }) },
  {
    operation: 'updateRevision',
    answers: 'NOT_FOUND',
    when: 'the image is unknown',
    input: async (world) => ({
      params: { part_number: await createPart(world), revision_number: 'A' },
      body: { image_id: UNKNOWN_ID },
    }),
  },
  {
    operation: 'updateRevision',
    answers: 'CONFLICT',
    input: async (world) => ({
      params: { part_number: await createPart(world), revision_number: 'A' },
      body: { number: 'B' },
    }),
  },
  {
    operation: 'deleteRevision',
    answers: 'ok',
    input: async (world) => ({ params: { part_number: await createUsedPart(world), revision_number: 'B' } }),
  },
  { operation: 'deleteRevision', answers: 'NOT_FOUND', input: () => ({ params: NONE }) },
  {
    operation: 'deleteRevision',
    answers: 'CONFLICT',
    input: async (world) => ({ params: { part_number: await createUsedPart(world), revision_number: 'A' } }),
  },
]

export const PART_CASES: readonly ContractCase[] = [...PARTS, ...REVISIONS]
