import { expect } from 'vitest'
import type { ProcedureDetail, Version } from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'
import { createWholeRun } from '../sample-run'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

async function createProcedure(world: World): Promise<string> {
  return (await world.client.createProcedure({ body: { name: world.unique('Procedure') } })).id
}

async function createVersion(world: World, procedureId?: string) {
  const params = { procedure_id: procedureId ?? (await createProcedure(world)) }
  const tag = world.unique('v1.0-β')
  const { id } = await world.client.createProcedureVersion({ params, body: { tag } })
  return { id, params: { ...params, tag } }
}

const PROCEDURES: readonly ContractCase[] = [
  {
    operation: 'listProcedures',
    answers: 'ok',
    input: () => ({
      query: { search_query: 'contract', cursor: null, created_after: '2020-01-01T00:00:00Z' },
    }),
    check: ({ data }: { data: unknown[] }) =>
      expect(data).toMatchObject([{ identifier: 'CONTRACT', linkedRepository: null }]),
  },
  {
    operation: 'listProcedures',
    answers: 'BAD_REQUEST',
    input: () => ({ query: { created_after: 'yesterday' } }),
  },
  {
    operation: 'createProcedure',
    answers: 'ok',
    input: (world) => ({ body: { name: 'Procedure', identifier: world.unique('FVT') } }),
  },
  {
    operation: 'createProcedure',
    answers: 'CONFLICT',
    input: () => ({ body: { name: 'Procedure', identifier: ' contract' } }),
    check: ({ message }: { message: string }) => expect(message).toContain('already exists'),
  },
  { operation: 'createProcedure', answers: 'BAD_REQUEST', input: () => ({ body: { name: null } }) },
  {
    operation: 'getProcedure',
    answers: 'ok',
    input: async (world) => (await world.createRun(), { params: { id: 'contract' } }),
    check: (answer: ProcedureDetail, world) => {
      expect(answer).toMatchObject({ id: world.procedureId, created_by_user: { name: 'Local user' } })
      expect(answer.stations.map(({ id }) => id)).toContain(world.stationId)
      expect(answer.runs_count).toBeGreaterThan(0)
      expect(answer.recent_runs).toHaveLength(Math.min(answer.runs_count, 10))
    },
  },
  { operation: 'getProcedure', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'updateProcedure',
    answers: 'ok',
    input: async (world) => ({
      params: { id: await createProcedure(world) },
      body: {
        name: 'Renamed',
        productionBranch: 'main',
        autoPushEnabled: false,
        excludedBranchPatterns: ['wip/*'],
        rootDirectory: null,
      },
    }),
    check: async ({ id }: { id: string }, world) => {
      await world.client.updateProcedure({ params: { id }, body: { entryPoint: 'main.py' } })
      expect(await world.client.getProcedure({ params: { id } })).toMatchObject({
        name: 'Renamed',
        productionBranch: 'main',
        autoPushEnabled: false,
        excludedBranchPatterns: ['wip/*'],
        rootDirectory: null,
        entryPoint: 'main.py',
      })
    },
  },
  {
    operation: 'updateProcedure',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID }, body: { name: 'Never' } }),
  },
  {
    operation: 'updateProcedure',
    answers: 'BAD_REQUEST',
    input: () => ({ params: { id: 'CONTRACT' }, body: { autoPushEnabled: 'yes' } }),
  },
  {
    operation: 'deleteProcedure',
    answers: 'ok',
    input: async (world) => {
      const id = await createProcedure(world)
      await createVersion(world, id)
      await world.client.createStation({ body: { name: world.unique('Station'), procedure_id: id } })
      const run = {
        procedure_id: id,
        unit_under_test: { serial_number: world.unique('SN') },
        run_passed: true,
      }
      const { id: runId } = await world.client.createLenientV1Run({ body: run })
      return { params: { id }, query: { run: runId } }
    },
    check: async (answer: { id: string }, world, { params, query }) => {
      expect(answer).toEqual(params)
      const { run } = query as { run: string }
      await expect(world.client.getRun({ params: { id: run } })).rejects.toThrow(/answered 404/)
      await expect(world.client.getProcedure({ params: answer })).rejects.toThrow(/answered 404/)
      const { procedures } = await world.client.getStation({ params: { id: world.stationId } })
      expect(procedures.map(({ id }) => id)).not.toContain(answer.id)
    },
  },
  { operation: 'deleteProcedure', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
]

const VERSIONS: readonly ContractCase[] = [
  {
    operation: 'createProcedureVersion',
    answers: 'ok',
    input: (world) => ({ params: { procedure_id: 'contract' }, body: { tag: world.unique('2.0') } }),
  },
  {
    operation: 'createProcedureVersion',
    answers: 'CONFLICT',
    input: async (world) => {
      const { params } = await createVersion(world)
      return { params, body: { tag: ` ${params.tag.toUpperCase()}` } }
    },
    check: ({ message }: { message: string }) => expect(message).toContain('already exists'),
  },
  {
    operation: 'createProcedureVersion',
    answers: 'NOT_FOUND',
    input: () => ({ params: { procedure_id: UNKNOWN_ID }, body: { tag: '1' } }),
  },
  {
    operation: 'createProcedureVersion',
    answers: 'BAD_REQUEST',
    input: () => ({ params: { procedure_id: 'CONTRACT' }, body: { tag: '' } }),
  },
  {
    operation: 'getProcedureVersion',
    answers: 'ok',
    input: async (world) => ({ params: (await createVersion(world)).params }),
    check: (answer: Version, _world, { params }) =>
      expect(answer).toMatchObject({
        tag: params?.['tag'],
        procedure: { id: params?.['procedure_id'] },
        run_count: 0,
        created_by_user: { name: 'Local user' },
        created_by_station: null,
      }),
  },
  {
    operation: 'getProcedureVersion',
    answers: 'NOT_FOUND',
    when: 'the procedure is unknown',
    input: () => ({ params: { procedure_id: UNKNOWN_ID, tag: '1' } }),
  },
  {
    operation: 'getProcedureVersion',
    answers: 'NOT_FOUND',
    when: 'the tag is unknown',
    input: () => ({ params: { procedure_id: 'CONTRACT', tag: 'none' } }),
  },
  {
    operation: 'deleteProcedureVersion',
    answers: 'ok',
    input: async (world) => ({ params: (await createVersion(world)).params }),
    check: async (_answer, world, { params }) => {
      const gone = world.client.getProcedureVersion({
        params: params as { procedure_id: string; tag: string },
      })
      await expect(gone).rejects.toThrow(/answered 404/)
    },
  },
  {
    operation: 'deleteProcedureVersion',
    answers: 'CONFLICT',
    when: 'a run has it',
    input: async (world) => {
      const tag = world.unique('3.0')
      await world.client.createRun({ body: createWholeRun(world, { procedure_version: tag }) as never })
      return { params: { procedure_id: 'CONTRACT', tag } }
    },
    check: async ({ message }: { message: string }, world, { params }) => {
      expect(message).toContain('1 run has it')
      const named = params as { procedure_id: string; tag: string }
      expect(await world.client.getProcedureVersion({ params: named })).toMatchObject({ run_count: 1 })
    },
  },
  {
    operation: 'deleteProcedureVersion',
    answers: 'NOT_FOUND',
    input: () => ({ params: { procedure_id: 'CONTRACT', tag: 'none' } }),
  },
]

const DEPLOYMENTS: ContractCase[] = [
  {
    operation: 'listDeployments',
    answers: 'ok',
    input: async (world) => {
      await world.client.createRun({ body: createWholeRun(world, { deployment_id: 'other-1' }) as never })
      return {
        query: { environments: 'production', pushed: 'true', deployed_after: '2026-11-20T09:30:00.000Z' },
      }
    },
    check: (page) => {
      expect(page).toEqual({ data: [], meta: { has_more: false, next_cursor: null } })
    },
  },
  {
    operation: 'listDeployments',
    answers: 'BAD_REQUEST',
    input: () => ({ query: { environments: 'moon' } }),
  },
  { operation: 'getDeployment', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
]

export const PROCEDURE_CASES: readonly ContractCase[] = [...PROCEDURES, ...VERSIONS, ...DEPLOYMENTS]
