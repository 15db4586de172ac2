import { expect } from 'vitest'
import { ask } from '../ask'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'

const UNIT_PART = { part_number: 'PN-UNIT', revision_number: 'A' }
const NONE = { serial_number: 'no-such-unit' }

/** A unit that was made without a run, of the part PN-UNIT; its serial number. */
export async function createUnit(world: World): Promise<string> {
  const serialNumber = world.unique('Unit')
  const { data } = await world.client.listParts({ query: { search_query: UNIT_PART.part_number } })
  if (data.length === 0) await world.client.createPart({ body: { number: UNIT_PART.part_number } })
  await world.client.createUnit({
    body: { serial_number: serialNumber, ...UNIT_PART, metadata: { kept: 1 } },
  })
  return serialNumber
}

/** A unit that a run of the station is about; its serial number. */
export async function createTestedUnit(world: World): Promise<string> {
  const serialNumber = world.unique('Tested')
  await ask(world, {
    operation: 'createLenientV1Run',
    as: 'station',
    prefix: '',
    input: {
      body: {
        procedure_id: world.procedureId,
        unit_under_test: { serial_number: serialNumber },
        run_passed: true,
      },
    },
  })
  return serialNumber
}

/** A unit with all that one can have; its serial number. */
async function createFullUnit(world: World): Promise<string> {
  const serialNumber = world.unique('Full')
  const params = { serial_number: serialNumber }
  await world.createRun(serialNumber)
  await world.client.updateUnit({
    params,
    body: {
      batch_number: 'Full-batch',
      sample: 'golden',
      metadata: { text: 'a', number: 1.5, flag: true },
      attachments: [await world.uploadAttachment()],
    },
  })
  await world.client.addUnitChild({ params, body: { child_serial_number: await createUnit(world) } })
  const parent = await createUnit(world)
  await world.client.addUnitChild({
    params: { serial_number: parent },
    body: { child_serial_number: serialNumber },
  })
  return serialNumber
}

const READ: readonly ContractCase[] = [
  {
    operation: 'listUnits',
    answers: 'ok',
    input: async (world) => ({
      query: {
        serial_numbers: [(await createFullUnit(world)).toUpperCase()],
        metadata: { number: { gt: 1 }, text: { in: ['a'] } },
        include_metadata: true,
        latest_only: true,
        outcomes: ['PASS'],
        cursor: null,
      },
    }),
    check: ({ data }: { data: unknown[] }) =>
      expect(data).toMatchObject([
        { sample: 'golden', last_run: { outcome: 'PASS' }, metadata: { text: 'a', number: 1.5, flag: true } },
      ]),
  },
  {
    operation: 'listUnits',
    answers: 'ok',
    when: 'nothing is asked for',
    input: async (world) => ({ query: { search_query: await createUnit(world) } }),
    check: ({ data }: { data: unknown[] }) => expect(data).toMatchObject([{ last_run: null, batch: null }]),
  },
  {
    operation: 'listUnits',
    answers: 'BAD_REQUEST',
    input: () => ({ query: { metadata: '{"name":{"like":1}}' } }),
  },
  {
    operation: 'getUnit',
    answers: 'ok',
    input: async (world) => ({ params: { serial_number: (await createFullUnit(world)).toLowerCase() } }),
    check: (answer: object) =>
      expect(answer).toMatchObject({
        parent: {},
        children: [{}],
        attachments: [{ name: 'file.txt' }],
        created_during: { outcome: 'PASS' },
      }),
  },
  { operation: 'getUnit', answers: 'NOT_FOUND', input: () => ({ params: NONE }) },
]

const WRITE: readonly ContractCase[] = [
  {
    operation: 'createUnit',
    answers: 'ok',
    input: async (world) => {
      await createUnit(world)
      return {
        body: { serial_number: world.unique('New unit'), ...UNIT_PART, sample: 'failing', unknown: 1 },
      }
    },
  },
  {
    operation: 'createUnit',
    answers: 'BAD_REQUEST',
    input: (world) => ({ body: { serial_number: world.unique('Unit'), part_number: 'PN-UNIT' } }),
  },
  {
    operation: 'createUnit',
    answers: 'NOT_FOUND',
    input: () => ({ body: { ...NONE, part_number: 'no-such-part', revision_number: 'A' } }),
  },
  {
    operation: 'createUnit',
    answers: 'CONFLICT',
    input: async (world) => ({
      body: { serial_number: (await createUnit(world)).toUpperCase(), ...UNIT_PART },
    }),
    check: ({ message }: { message: string }) => expect(message).toContain('already exists'),
  },
  {
    operation: 'updateUnit',
    answers: 'ok',
    input: async (world) => ({
      params: { serial_number: await createFullUnit(world) },
      body: {
        new_serial_number: world.unique('Renamed unit'),
        ...UNIT_PART,
        batch_number: world.unique('Fresh-batch'),
        metadata: { text: null, added: 'b' },
      },
    }),
    check: async (_answer: object, world, { body }) => {
      const { new_serial_number: serialNumber } = body as { new_serial_number: string }
      const unit = await world.client.getUnit({ params: { serial_number: serialNumber } })
      expect(unit.metadata).toEqual({ number: 1.5, flag: true, added: 'b' })
      expect(unit.part.number).toBe('PN-UNIT')
    },
  },
  {
    operation: 'updateUnit',
    answers: 'ok',
    when: 'a run of its own is about the unit',
    as: ['station'],
    input: async (world) => ({
      params: { serial_number: await createTestedUnit(world) },
      body: { new_serial_number: world.unique('Renamed unit') },
    }),
  },
  {
    operation: 'updateUnit',
    answers: 'ok',
    when: 'it created the unit',
    as: ['station'],
    input: async (world) => {
      const serialNumber = world.unique('Made')
      await createUnit(world)
      await ask(world, {
        operation: 'createUnit',
        as: 'station',
        prefix: '',
        input: { body: { serial_number: serialNumber, ...UNIT_PART } },
      })
      return {
        params: { serial_number: serialNumber },
        body: { sample: 'golden', metadata: { site: 'Lyon' } },
      }
    },
  },
  {
    operation: 'updateUnit',
    answers: 'BAD_REQUEST',
    input: () => ({ params: NONE, body: { sample: 'silver' as never } }),
  },
  {
    operation: 'updateUnit',
    answers: 'FORBIDDEN',
    when: 'batches are not created on first sight',
    input: async (world) => {
      await world.client.updateSettings({ body: { 'auto_create.batch': false } })
      return {
        params: { serial_number: await createUnit(world) },
        body: { batch_number: world.unique('Refused-batch') },
      }
    },
    check: async ({ message }: { message: string }, world) => {
      await world.client.updateSettings({ body: { 'auto_create.batch': true } })
      expect(message).toContain('Batch creation failed')
    },
  },
  { operation: 'updateUnit', answers: 'NOT_FOUND', input: () => ({ params: NONE, body: {} }) },
  {
    operation: 'updateUnit',
    answers: 'NOT_FOUND',
    when: 'the revision is unknown',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      body: { revision_number: 'no-such-revision' },
    }),
  },
  {
    operation: 'updateUnit',
    answers: 'CONFLICT',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      body: { new_serial_number: await createUnit(world) },
    }),
  },
  {
    operation: 'deleteUnits',
    answers: 'ok',
    input: async (world) => ({
      query: { serial_numbers: [await createFullUnit(world), await createUnit(world)] },
    }),
    check: ({ id }: { id: string[] }) => expect(id).toHaveLength(2),
  },
  { operation: 'deleteUnits', answers: 'BAD_REQUEST', input: () => ({}) },
  {
    operation: 'deleteUnits',
    answers: 'NOT_FOUND',
    input: async (world) => ({ query: { serial_numbers: [await createUnit(world), NONE.serial_number] } }),
  },
]

const RELATED: readonly ContractCase[] = [
  {
    operation: 'createUnitAttachment',
    answers: 'ok',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      body: { name: 'manual.pdf' },
    }),
    check: async ({ upload_url: url }: { upload_url: string }, world, { params }) => {
      await fetch(url, { method: 'PUT', body: 'bytes' })
      const unit = await world.client.getUnit({ params: params as { serial_number: string } })
      expect(unit.attachments).toMatchObject([{ name: 'manual.pdf', size: 5 }])
    },
  },
  {
    operation: 'createUnitAttachment',
    answers: 'ok',
    when: 'a run of its own is about the unit',
    as: ['station'],
    input: async (world) => ({
      params: { serial_number: await createTestedUnit(world) },
      body: { name: 'manual.pdf' },
    }),
  },
  {
    operation: 'createUnitAttachment',
    answers: 'BAD_REQUEST',
    input: () => ({ params: NONE, body: { name: '' } }),
  },
  {
    operation: 'createUnitAttachment',
    answers: 'NOT_FOUND',
    input: () => ({ params: NONE, body: { name: 'manual.pdf' } }),
  },
  {
    operation: 'deleteUnitAttachments',
    answers: 'ok',
    input: async (world) => {
      const params = { serial_number: await createUnit(world) }
      const ids = [await world.uploadAttachment(), await world.uploadAttachment()]
      await world.client.updateUnit({ params, body: { attachments: ids } })
      return { params, query: { ids } }
    },
    check: (answer: object, _world, { query }) => expect(answer).toEqual(query),
  },
  {
    operation: 'deleteUnitAttachments',
    answers: 'ok',
    when: 'a run of its own is about the unit',
    as: ['station'],
    input: async (world) => {
      const params = { serial_number: await createTestedUnit(world) }
      const ids = [await world.uploadAttachment()]
      await world.client.updateUnit({ params, body: { attachments: ids } })
      return { params, query: { ids } }
    },
  },
  { operation: 'deleteUnitAttachments', answers: 'BAD_REQUEST', input: () => ({ params: NONE }) },
  {
    operation: 'deleteUnitAttachments',
    answers: 'NOT_FOUND',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      query: { ids: [await world.uploadAttachment()] },
    }),
  },
  {
    operation: 'addUnitChild',
    answers: 'ok',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      body: { child_serial_number: await createUnit(world) },
    }),
  },
  {
    operation: 'addUnitChild',
    answers: 'ok',
    when: 'runs of its own are about both units',
    as: ['station'],
    input: async (world) => ({
      params: { serial_number: await createTestedUnit(world) },
      body: { child_serial_number: await createTestedUnit(world) },
    }),
  },
  {
    operation: 'addUnitChild',
    answers: 'BAD_REQUEST',
    when: 'a unit would hold itself',
    input: async (world) => {
      const serialNumber = await createUnit(world)
      return { params: { serial_number: serialNumber }, body: { child_serial_number: serialNumber } }
    },
  },
  {
    operation: 'addUnitChild',
    answers: 'NOT_FOUND',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      body: { child_serial_number: NONE.serial_number },
    }),
  },
  {
    operation: 'removeUnitChild',
    answers: 'ok',
    input: async (world) => {
      const params = { serial_number: await createUnit(world) }
      const child = { child_serial_number: await createUnit(world) }
      await world.client.addUnitChild({ params, body: child })
      return { params, query: child }
    },
  },
  {
    operation: 'removeUnitChild',
    answers: 'BAD_REQUEST',
    when: 'the one is not in the other',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      query: { child_serial_number: await createUnit(world) },
    }),
  },
  {
    operation: 'removeUnitChild',
    answers: 'NOT_FOUND',
    input: () => ({ params: NONE, query: { child_serial_number: NONE.serial_number } }),
  },
]

export const UNIT_CASES: readonly ContractCase[] = [...READ, ...WRITE, ...RELATED]
