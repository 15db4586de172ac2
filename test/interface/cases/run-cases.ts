import { expect } from 'vitest'
import type { ContractCase } from '../contract-case'
import { UNKNOWN_ID } from './unknown-id'

export const RUN_CASES: readonly ContractCase[] = [
  { operation: 'listRuns', answers: 'ok', input: async (world) => (await world.createRun(), { query: {} }) },
  {
    operation: 'listRuns',
    answers: 'BAD_REQUEST',
    when: 'limit is too large',
    input: () => ({ query: { limit: 101 } }),
  },
  {
    operation: 'getRun',
    answers: 'ok',
    input: async (world) => ({ params: { id: await world.createRun() } }),
  },
  { operation: 'getRun', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'updateRun',
    answers: 'ok',
    input: async (world) => ({
      params: { id: await world.createRun() },
      body: { attachments: [await world.uploadAttachment()] },
    }),
  },
  {
    operation: 'updateRun',
    answers: 'NOT_FOUND',
    when: 'the run is unknown',
    input: () => ({ params: { id: UNKNOWN_ID }, body: { attachments: [] } }),
  },
  {
    operation: 'updateRun',
    answers: 'NOT_FOUND',
    when: 'the attachment is unknown',
    input: async (world) => ({
      params: { id: await world.createRun() },
      body: { attachments: [UNKNOWN_ID] },
    }),
  },
  {
    operation: 'updateRun',
    answers: 'BAD_REQUEST',
    when: 'the bytes were not received',
    input: async (world) => ({
      params: { id: await world.createRun() },
      body: { attachments: [(await world.client.initializeAttachment({ body: { name: 'x' } })).id] },
    }),
  },
  {
    operation: 'updateRun',
    answers: 'CONFLICT',
    when: 'the attachment is of another run',
    input: async (world) => {
      const attachments = [await world.uploadAttachment()]
      await world.client.updateRun({ params: { id: await world.createRun() }, body: { attachments } })
      return { params: { id: await world.createRun() }, body: { attachments } }
    },
  },
  {
    operation: 'createRunAttachment',
    answers: 'ok',
    input: async (world) => ({ params: { id: await world.createRun() }, body: { name: 'one.log' } }),
  },
  {
    operation: 'createRunAttachment',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID }, body: { name: 'one.log' } }),
  },
  {
    operation: 'createRunAttachment',
    answers: 'BAD_REQUEST',
    input: async (world) => ({ params: { id: await world.createRun() }, body: { name: '' } }),
  },
  {
    operation: 'updateRunMetadata',
    answers: 'ok',
    input: async (world) => ({
      params: { id: await world.createRun() },
      body: { metadata: { site: 'Lyon', line: 3, old: null } },
    }),
  },
  {
    operation: 'updateRunMetadata',
    answers: 'ok',
    when: 'an entry is replaced and another removed',
    as: ['user', 'member'],
    input: async (world) => {
      const id = await world.createRun()
      await world.client.updateRunMetadata({ params: { id }, body: { metadata: { site: 'Lyon', line: 3 } } })
      return { params: { id }, body: { metadata: { site: 'Paris', line: null } } }
    },
    check: async (answer: { id: string }, world) => {
      const { data } = await world.client.listAuditEntries({ query: { subject_ids: [answer.id] } })
      expect(data.at(0)).toMatchObject({
        before: { site: '… (6 characters)', line: '… (1 characters)' },
        after: { site: '… (7 characters)' },
      })
    },
  },
  {
    operation: 'updateRunMetadata',
    answers: 'NOT_FOUND',
    input: () => ({ params: { id: UNKNOWN_ID }, body: { metadata: {} } }),
  },
  {
    operation: 'updateRunMetadata',
    answers: 'BAD_REQUEST',
    input: async (world) => ({
      params: { id: await world.createRun() },
      body: { metadata: { site: ['Lyon'] } },
    }),
  },
  {
    operation: 'deleteRuns',
    answers: 'ok',
    input: async (world) => ({ query: { ids: [await world.createRun(), await world.createRun()] } }),
    check: (answer: { ids: string[]; id: string[] }, _world, { query }) => {
      expect(answer).toEqual({ ids: (query as { ids: string[] }).ids, id: (query as { ids: string[] }).ids })
    },
  },
  {
    operation: 'deleteRuns',
    answers: 'NOT_FOUND',
    input: async (world) => ({ query: { ids: [await world.createRun(), UNKNOWN_ID] } }),
    check: async (_answer, world, { query }) => {
      const [kept = ''] = (query as { ids: string[] }).ids
      await world.client.getRun({ params: { id: kept } })
    },
  },
  { operation: 'deleteRuns', answers: 'BAD_REQUEST', input: () => ({ query: {} }) },
]
