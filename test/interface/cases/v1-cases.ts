import { expect } from 'vitest'
import { UNKNOWN_ID } from './unknown-id'
import type { ContractCase } from '../contract-case'
import { createTestedUnit, createUnit } from './unit-cases'

const UNKNOWN = { serial_number: 'no-such-unit' }

/** What clients of the v1 era do with runs and units that exist. */
export const V1_CASES: readonly ContractCase[] = [
  {
    operation: 'deleteV1Run',
    answers: 'ok',
    input: async (world) => ({ params: { id: await world.createRun() } }),
    check: (answer: object, _world, { params }) => expect(answer).toMatchObject(params ?? {}),
  },
  { operation: 'deleteV1Run', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'updateV1Unit',
    answers: 'ok',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      body: { sub_units: [{ serial_number: await createUnit(world) }] },
    }),
    check: async (_answer: object, world, { params }) => {
      const unit = await world.client.getUnit({ params: params as { serial_number: string } })
      expect(unit.children).toHaveLength(1)
    },
  },
  {
    operation: 'updateV1Unit',
    answers: 'ok',
    when: 'runs of its own are about both units',
    as: ['station'],
    input: async (world) => ({
      params: { serial_number: await createTestedUnit(world) },
      body: { sub_units: [{ serial_number: await createTestedUnit(world) }] },
    }),
  },
  {
    operation: 'updateV1Unit',
    answers: 'BAD_REQUEST',
    when: 'the sub-unit is unknown',
    input: async (world) => ({
      params: { serial_number: await createUnit(world) },
      body: { sub_units: [UNKNOWN] },
    }),
  },
  { operation: 'updateV1Unit', answers: 'NOT_FOUND', input: () => ({ params: UNKNOWN, body: {} }) },
  {
    operation: 'updateV1UnitByNumber',
    answers: 'ok',
    input: async (world) => ({
      body: {
        serial_number: await createUnit(world),
        sub_units: [{ serial_number: await createUnit(world) }],
      },
    }),
  },
  {
    operation: 'updateV1UnitByNumber',
    answers: 'BAD_REQUEST',
    when: 'no unit is named',
    input: () => ({ body: { sub_units: [] } }),
  },
  { operation: 'updateV1UnitByNumber', answers: 'NOT_FOUND', input: () => ({ body: UNKNOWN }) },
  {
    operation: 'deleteV1Unit',
    answers: 'ok',
    input: async (world) => {
      const serialNumber = await createUnit(world)
      await world.createRun(serialNumber)
      return { params: { serial_number: serialNumber } }
    },
  },
  { operation: 'deleteV1Unit', answers: 'NOT_FOUND', input: () => ({ params: UNKNOWN }) },
]
