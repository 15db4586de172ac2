import type { ContractCase } from '../contract-case'
import { createWholeRun } from '../sample-run'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

/** A v2 run with everything in it, as it is answered. */
async function wholeRun(world: World) {
  const { id } = await world.client.createRun({ body: createWholeRun(world) as never })
  return world.client.getRun({ params: { id } })
}

/** A v2 run whose phases say why they failed. */
async function failedRun(world: World) {
  const { phases } = createWholeRun(world)
  const failed = phases.map((phase) => ({ ...phase, error: { message: 'boom' }, tags: ['@smoke'] }))
  return world.client.createRun({ body: createWholeRun(world, { phases: failed }) as never })
}

const listInput = async (world: World) => (
  await wholeRun(world),
  { query: { procedure_id: world.procedureId } }
)

export const RECORD_CASES: readonly ContractCase[] = [
  { operation: 'listPhases', answers: 'ok', input: listInput },
  { operation: 'listPhases', answers: 'BAD_REQUEST', input: () => ({ query: {} }) },
  {
    operation: 'getPhase',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await wholeRun(world)).phases[0]?.id ?? '' } }),
  },
  { operation: 'getPhase', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  { operation: 'listMeasurements', answers: 'ok', input: listInput },
  { operation: 'listMeasurements', answers: 'BAD_REQUEST', input: () => ({ query: {} }) },
  {
    operation: 'getMeasurement',
    answers: 'ok',
    input: async (world) => ({
      params: { id: (await wholeRun(world)).phases[1]?.measurements[0]?.id ?? '' },
    }),
  },
  { operation: 'getMeasurement', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  { operation: 'listLogs', answers: 'ok', input: async (world) => (await wholeRun(world), { query: {} }) },
  { operation: 'listLogs', answers: 'BAD_REQUEST', input: () => ({ query: { levels: 'LOUD' } }) },
  {
    operation: 'getLog',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await wholeRun(world)).logs[0]?.id ?? '' } }),
  },
  { operation: 'getLog', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  { operation: 'listErrors', answers: 'ok', input: async (world) => (await failedRun(world), { query: {} }) },
  { operation: 'listErrors', answers: 'BAD_REQUEST', input: () => ({ query: { sort_by: 'message' } }) },
  {
    operation: 'getError',
    answers: 'ok',
    input: async (world) => {
      await failedRun(world)
      const { data } = await world.client.listErrors({ query: {} })
      return { params: { fingerprint: data[0]?.fingerprint ?? '' }, query: {} }
    },
  },
  {
    operation: 'getError',
    answers: 'BAD_REQUEST',
    input: () => ({ params: { fingerprint: 'none' }, query: { kinds: 'odd' } }),
  },
  {
    operation: 'getError',
    answers: 'NOT_FOUND',
    input: () => ({ params: { fingerprint: 'none' }, query: {} }),
  },
  {
    operation: 'listVerdicts',
    answers: 'ok',
    input: async (world) => ({ query: { ids: (await failedRun(world)).id } }),
  },
  { operation: 'listVerdicts', answers: 'BAD_REQUEST', input: () => ({ query: {} }) },
]
