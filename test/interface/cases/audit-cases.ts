import { expect } from 'vitest'
import type { AuditEntryPageSchema } from '../../../packages/protocol/src/index'
import type * as z from 'zod'
import type { ContractCase } from '../contract-case'

type EntryPage = z.output<typeof AuditEntryPageSchema>

export const AUDIT_CASES: readonly ContractCase[] = [
  {
    operation: 'listAuditEntries',
    answers: 'ok',
    when: 'filtered by what changed',
    input: async (world) => {
      const name = world.unique('Audited station')
      const { id } = await world.client.createStation({ body: { name } })
      await world.client.updateStation({ params: { id }, body: { name: `${name} renamed` } })
      await world.client.linkStationProcedure({ params: { id, procedure_id: world.procedureId } })
      await world.client.deleteStation({ params: { id } })
      return { query: { subject_kinds: ['station'], subject_ids: [id] } }
    },
    check: ({ data }: EntryPage, _world, { query }) => {
      const { subject_ids: ids } = query as { subject_ids: string[] }
      expect(data.map(({ operation, before, after }) => ({ operation, before, after }))).toMatchObject([
        {
          operation: 'deleteStation',
          before: { name: expect.stringMatching(/ renamed$/) as unknown },
          after: null,
        },
        {
          operation: 'linkStationProcedure',
          before: {},
          after: { linked_procedure: 'Contract procedure' },
        },
        {
          operation: 'updateStation',
          before: { name: expect.any(String) as unknown },
          after: { name: expect.stringMatching(/ renamed$/) as unknown },
        },
        { operation: 'createStation', before: null, after: { name: expect.any(String) as unknown } },
      ])
      for (const { actor, subject } of data) {
        expect(actor).toMatchObject({ kind: 'user', key: { name: expect.any(String) as unknown } })
        expect(subject).toMatchObject({ kind: 'station', id: ids[0] })
      }
    },
  },
  {
    operation: 'listAuditEntries',
    answers: 'ok',
    when: 'searched, by operation and time',
    input: async (world) => {
      const name = world.unique('Searched station')
      const { id } = await world.client.createStation({ body: { name } })
      await world.client.deleteStation({ params: { id } })
      return {
        query: {
          search_query: name.toUpperCase(),
          operations: ['deleteStation'],
          created_after: '2020-01-01T00:00:00Z',
        },
      }
    },
    check: ({ data }: EntryPage) => expect(data).toMatchObject([{ operation: 'deleteStation' }]),
  },
  {
    operation: 'listAuditEntries',
    answers: 'ok',
    when: 'before anything happened',
    input: () => ({ query: { created_before: '2020-01-01T00:00:00Z' } }),
    check: ({ data }: EntryPage) => expect(data).toEqual([]),
  },
  {
    operation: 'listAuditEntries',
    answers: 'BAD_REQUEST',
    when: 'the kind is none',
    input: () => ({ query: { subject_kinds: ['nothing'] } }),
  },
]
