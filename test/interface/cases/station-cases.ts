import { expect } from 'vitest'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

async function createStation(world: World, procedure?: string): Promise<string> {
  const body = { name: world.unique('Station'), procedure_id: procedure }
  return (await world.client.createStation({ body })).id
}

export const STATION_CASES: readonly ContractCase[] = [
  {
    operation: 'listStations',
    answers: 'ok',
    input: () => ({ query: { search_query: 'LINKED', procedure_ids: ['contract'], cursor: null } }),
    check: ({ data }: { data: unknown[] }, world) =>
      expect(data).toMatchObject([
        {
          id: world.stationId,
          name: 'Linked station',
          procedures: [{ id: world.procedureId, name: 'Contract procedure' }],
          procedures_count: 1,
          team: null,
        },
      ]),
  },
  {
    operation: 'listStations',
    answers: 'ok',
    when: 'no station is linked to the procedure',
    input: () => ({ query: { procedure_ids: ['no-such-procedure'] } }),
    check: ({ data }: { data: unknown[] }) => expect(data).toEqual([]),
  },
  {
    operation: 'listStations',
    answers: 'BAD_REQUEST',
    when: 'limit is too large',
    input: () => ({ query: { limit: 101 } }),
  },
  {
    operation: 'createStation',
    answers: 'ok',
    input: () => ({ body: { name: ' New station ', procedure_id: 'Contract', unknown: 1 } }),
    check: async ({ id, ...rest }: { id: string }, world) => {
      expect(rest).toEqual({ name: 'New station', identifier: 'New-station' })
      expect(await world.client.getStation({ params: { id } })).toMatchObject({
        name: 'New station',
        procedures: [{ id: world.procedureId, runs_count: 0, deployment: null }],
      })
    },
  },
  {
    operation: 'createStation',
    answers: 'ok',
    when: 'the name is taken and no procedure is given',
    input: () => ({ body: { name: 'Linked station', procedure_id: null } }),
  },
  {
    operation: 'createStation',
    answers: 'NOT_FOUND',
    when: 'the procedure is unknown',
    input: () => ({ body: { name: 'Never', procedure_id: UNKNOWN_ID } }),
  },
  { operation: 'createStation', answers: 'BAD_REQUEST', input: () => ({ body: { name: ' ' } }) },
  {
    operation: 'createStation',
    answers: 'BAD_REQUEST',
    when: 'the procedure is neither a UUID nor a known identifier',
    as: ['user', 'station'],
    input: () => ({ body: { name: 'Never', procedure_id: 'no-such-procedure' } }),
  },
  {
    operation: 'getCurrentStation',
    answers: 'ok',
    as: ['station'],
    input: () => ({}),
    check: (answer: object, world) =>
      expect(answer).toMatchObject({ id: world.stationId, organization_slug: 'local', api_key: null }),
  },
  { operation: 'getCurrentStation', answers: 'ok', as: ['other-station'], input: () => ({}) },
  {
    operation: 'getStation',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await createStation(world)).toUpperCase() } }),
  },
  {
    operation: 'getStation',
    answers: 'ok',
    when: 'it is its own',
    as: ['station'],
    input: (world) => ({ params: { id: world.stationId } }),
  },
  {
    operation: 'getStation',
    answers: 'NOT_FOUND',
    as: ['user', 'station'],
    input: () => ({ params: { id: UNKNOWN_ID } }),
  },
  {
    operation: 'getStation',
    answers: 'NOT_FOUND',
    when: 'the station is deleted',
    input: async (world) => {
      const id = await createStation(world)
      await world.client.deleteStation({ params: { id } })
      return { params: { id } }
    },
  },
  {
    operation: 'updateStation',
    answers: 'ok',
    input: async (world) => ({
      params: { id: await createStation(world) },
      body: { name: 'Renamed', image_id: await world.uploadAttachment('photo.png'), team_id: null },
    }),
    check: async ({ id, ...rest }: { id: string }, world, { body }) => {
      expect(rest).toEqual({ name: 'Renamed', identifier: 'Renamed' })
      expect(await world.client.getStation({ params: { id } })).toMatchObject({
        name: 'Renamed',
        image_id: (body as { image_id: string }).image_id,
      })
    },
  },
  {
    operation: 'updateStation',
    answers: 'ok',
    when: 'nothing is sent',
    input: async (world) => ({ params: { id: await createStation(world) }, body: {} }),
  },
  {
    operation: 'updateStation',
    answers: 'NOT_FOUND',
    when: 'the station is unknown',
    input: () => ({ params: { id: UNKNOWN_ID }, body: {} }),
  },
  {
    operation: 'updateStation',
    answers: 'NOT_FOUND',
    when: 'the image is unknown',
    input: (world) => ({ params: { id: world.stationId }, body: { image_id: UNKNOWN_ID } }),
  },
  {
    operation: 'updateStation',
    answers: 'CONFLICT',
    when: 'the image is an attachment of a run',
    input: async (world) => {
      const image = await world.uploadAttachment('photo.png')
      await world.client.updateRun({
        params: { id: await world.createRun() },
        body: { attachments: [image] },
      })
      return { params: { id: await createStation(world) }, body: { image_id: image } }
    },
  },
  {
    operation: 'updateStation',
    answers: 'NOT_FOUND',
    when: 'a team is named',
    input: (world) => ({ params: { id: world.stationId }, body: { team_id: UNKNOWN_ID } }),
  },
  {
    operation: 'updateStation',
    answers: 'BAD_REQUEST',
    input: (world) => ({ params: { id: world.stationId }, body: { name: '' } }),
  },
  {
    operation: 'deleteStation',
    answers: 'ok',
    input: async (world) => ({ params: { id: await createStation(world, 'CONTRACT') } }),
    check: async (answer: { id: string }, world, { params }) => {
      expect(answer).toEqual(params)
      const { data } = await world.client.listStations({ query: { limit: 100 } })
      expect(data.map(({ id }) => id)).not.toContain(answer.id)
    },
  },
  { operation: 'deleteStation', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'linkStationProcedure',
    answers: 'ok',
    input: async (world) => ({ params: { id: await createStation(world), procedure_id: 'contract' } }),
    check: async ({ id }: { id: string }, world) => {
      const params = { id, procedure_id: world.procedureId }
      await world.client.linkStationProcedure({ params })
      expect((await world.client.getStation({ params })).procedures).toHaveLength(1)
    },
  },
  {
    operation: 'linkStationProcedure',
    answers: 'NOT_FOUND',
    when: 'the station is unknown',
    input: () => ({ params: { id: UNKNOWN_ID, procedure_id: 'CONTRACT' } }),
  },
  {
    operation: 'linkStationProcedure',
    answers: 'NOT_FOUND',
    when: 'the procedure is unknown',
    input: (world) => ({ params: { id: world.stationId, procedure_id: UNKNOWN_ID } }),
  },
  {
    operation: 'unlinkStationProcedure',
    answers: 'ok',
    input: async (world) => ({
      params: { id: await createStation(world, 'CONTRACT'), procedure_id: world.procedureId },
    }),
    check: async ({ id }: { id: string }, world) => {
      const params = { id, procedure_id: 'CONTRACT' }
      await world.client.unlinkStationProcedure({ params })
      expect((await world.client.getStation({ params })).procedures).toEqual([])
    },
  },
  {
    operation: 'unlinkStationProcedure',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID, procedure_id: 'CONTRACT' } }),
  },
]
