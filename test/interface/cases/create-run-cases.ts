import { expect } from 'vitest'
import type { CreateRunsResponse, OperationName } from '../../../packages/protocol/src/index'
import type { ContractCase, ContractInput } from '../contract-case'
import { createWholeRun } from '../sample-run'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

type Creation = Extract<OperationName, 'createV1Run' | 'createLenientV1Run' | 'createRun'>

/** The least that run creation takes, each time for a unit of its own. */
const LEAST: Readonly<Record<Creation, (world: World) => Record<string, unknown>>> = {
  createV1Run: (world) => ({
    procedure_id: world.procedureId,
    unit_under_test: { serial_number: world.unique('SN'), part_number: 'PN-1', revision: 'A' },
    run_passed: true,
    duration: 'PT1S',
  }),
  createLenientV1Run: (world) => ({
    procedure_id: 'contract',
    unit_under_test: { serial_number: world.unique('SN') },
    run_passed: false,
    steps: null,
  }),
  createRun: (world) => createWholeRun(world),
}

function casesOf(operation: Creation): ContractCase[] {
  const withKey = async (world: World, change: Record<string, unknown> = {}): Promise<ContractInput> => {
    const body = LEAST[operation](world)
    const headers = { 'idempotency-key': world.unique('key') }
    await world.client[operation]({ body: body as never }, { headers })
    return { body: { ...body, ...change }, headers }
  }
  return [
    { operation, answers: 'ok', input: (world) => ({ body: LEAST[operation](world) }) },
    {
      operation,
      answers: 'ok',
      when: 'the key was used for the same',
      as: ['user'],
      input: (world) => withKey(world),
    },
    {
      operation,
      answers: 'CONFLICT',
      when: 'the key was used for another body',
      input: (world) =>
        withKey(world, operation === 'createRun' ? { outcome: 'ABORTED' } : { duration: 'PT9S' }),
    },
    {
      operation,
      answers: 'NOT_FOUND',
      when: 'the procedure is unknown',
      input: (world) => ({ body: { ...LEAST[operation](world), procedure_id: UNKNOWN_ID } }),
    },
    {
      operation,
      answers: 'FORBIDDEN',
      when: 'the procedure is unknown to a station',
      as: ['station'],
      input: (world) => ({ body: { ...LEAST[operation](world), procedure_id: UNKNOWN_ID } }),
    },
    {
      operation,
      answers: 'BAD_REQUEST',
      when: 'the procedure is missing',
      input: (world) => ({ body: { ...LEAST[operation](world), procedure_id: undefined } }),
    },
    {
      operation,
      answers: 'BAD_REQUEST',
      when: 'a sub-unit is unknown',
      input: (world) => ({
        body: {
          ...LEAST[operation](world),
          sub_units: operation === 'createRun' ? ['NONE'] : [{ serial_number: 'NONE' }],
        },
      }),
    },
  ]
}

export const CREATE_RUN_CASES: readonly ContractCase[] = [
  ...casesOf('createV1Run'),
  ...casesOf('createLenientV1Run'),
  {
    operation: 'createV1Runs',
    answers: 'ok',
    input: (world) => ({ body: { runs: [{ run: LEAST.createV1Run(world), idempotency_key: null }] } }),
  },
  {
    operation: 'createV1Runs',
    answers: 'ok',
    when: 'one of the runs is refused, for a station that is not linked to their procedure as by itself',
    as: ['user', 'station', 'other-station'],
    input: (world) => ({
      body: { runs: [{ run: LEAST.createV1Run(world) }, { run: { run_passed: true } }] },
    }),
    check: (answer: CreateRunsResponse) => {
      const [first, second] = answer.runs
      expect([200, 403]).toContain(first?.error?.status_code ?? 200)
      expect(second?.error?.status_code).toBe(400)
    },
  },
  { operation: 'createV1Runs', answers: 'BAD_REQUEST', input: () => ({ body: { runs: [] } }) },
  ...casesOf('createRun'),
  {
    operation: 'createRun',
    answers: 'NOT_FOUND',
    when: 'the operator is unknown',
    input: (world) => ({ body: createWholeRun(world, { operated_by: 'nobody@example.com' }) }),
  },
  {
    operation: 'createRun',
    answers: 'BAD_REQUEST',
    when: 'a new unit has no part number',
    input: (world) => ({ body: createWholeRun(world, { part_number: null }) }),
  },
  {
    operation: 'createRun',
    answers: 'BAD_REQUEST',
    when: 'it ended before it started',
    input: (world) => ({ body: createWholeRun(world, { ended_at: '2026-11-20T09:29:59Z' }) }),
  },
  {
    operation: 'listV1Runs',
    answers: 'ok',
    input: async (world) => (await world.createRun(), { query: {} }),
  },
  { operation: 'listV1Runs', answers: 'BAD_REQUEST', input: () => ({ query: { limit: 'many' } }) },
]
