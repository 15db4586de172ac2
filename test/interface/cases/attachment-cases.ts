import { expect } from 'vitest'
import type { SessionItem, SignInLink } from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'
import type { World } from '../world'
import { UNKNOWN_ID } from './unknown-id'

/** Opens a session that every role may list and end. */
async function signIn({ server, client, keys }: World): Promise<SessionItem | undefined> {
  await server.send('POST', '/session', { key: keys.viewer })
  return (await client.listSessions({}))[0]
}

export const ATTACHMENT_CASES: readonly ContractCase[] = [
  { operation: 'initializeAttachment', answers: 'ok', input: () => ({ body: { name: 'photo.png' } }) },
  { operation: 'initializeAttachment', answers: 'BAD_REQUEST', input: () => ({ body: { name: '' } }) },
  {
    operation: 'finalizeAttachment',
    answers: 'ok',
    input: async (world) => ({ params: { id: await world.uploadAttachment() } }),
  },
  {
    operation: 'finalizeAttachment',
    answers: 'BAD_REQUEST',
    when: 'the bytes were not received',
    input: async (world) => ({
      params: { id: (await world.client.initializeAttachment({ body: { name: 'x' } })).id },
    }),
  },
  { operation: 'finalizeAttachment', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'listUnlinkedAttachments',
    answers: 'ok',
    input: async (world) => {
      const [linked, free] = [await world.uploadAttachment(), await world.uploadAttachment()]
      const params = { id: await world.createRun() }
      await world.client.updateRun({ params, body: { attachments: [linked] } })
      return { query: { limit: 100 }, params: { linked, free } }
    },
    check: ({ data }: { data: { id: string }[] }, _world, { params = {} }) => {
      const ids = data.map(({ id }) => id)
      expect([ids.includes(params['free'] ?? ''), ids.includes(params['linked'] ?? '')]).toEqual([
        true,
        false,
      ])
    },
  },
  { operation: 'listUnlinkedAttachments', answers: 'BAD_REQUEST', input: () => ({ query: { limit: 0 } }) },
  {
    operation: 'deleteAttachments',
    answers: 'ok',
    input: async (world) => {
      const [linked, free] = [await world.uploadAttachment(), await world.uploadAttachment()]
      const params = { id: await world.createRun() }
      await world.client.updateRun({ params, body: { attachments: [linked] } })
      return { query: { ids: [linked.toUpperCase(), free, free] }, params }
    },
    check: async ({ ids, id }: { ids: string[]; id: string[] }, world, { params = {} }) => {
      expect([ids.length, id]).toEqual([2, ids])
      expect((await world.client.getRun({ params: { id: params['id'] ?? '' } })).attachments).toEqual([])
      const again = world.client.deleteAttachments({ query: { ids: ids.slice(0, 1) } })
      await expect(again).rejects.toThrow(/404/)
    },
  },
  {
    operation: 'deleteAttachments',
    answers: 'NOT_FOUND',
    when: 'one is unknown, and deletes none',
    input: async (world) => ({ query: { ids: [await world.uploadAttachment(), UNKNOWN_ID] } }),
    check: async (_answer: object, world, { query }) => {
      const [id = ''] = (query as { ids: string[] }).ids
      expect(await world.client.finalizeAttachment({ params: { id } })).toHaveProperty('url')
    },
  },
  { operation: 'deleteAttachments', answers: 'BAD_REQUEST', input: () => ({ query: {} }) },
  {
    operation: 'deleteAttachments',
    answers: 'CONFLICT',
    when: 'one is the image of something',
    input: async (world) => {
      const image = await world.uploadAttachment('photo.png')
      const station = await world.client.createStation({ body: { name: world.unique('Station') } })
      await world.client.updateStation({ params: { id: station.id }, body: { image_id: image } })
      return { query: { ids: [image] } }
    },
  },
  {
    operation: 'initializeV1Upload',
    answers: 'ok',
    input: () => ({ body: { name: 'photo.png', mimeType: 'image/png', sizeBytes: 5 } }),
  },
  { operation: 'initializeV1Upload', answers: 'BAD_REQUEST', input: () => ({ body: {} }) },
  {
    operation: 'syncV1Upload',
    answers: 'ok',
    input: async (world) => ({
      body: { upload_id: await world.uploadAttachment(), run_id: await world.createRun() },
    }),
  },
  {
    operation: 'syncV1Upload',
    answers: 'NOT_FOUND',
    input: async (world) => ({ body: { upload_id: UNKNOWN_ID, run_id: await world.createRun() } }),
  },
  { operation: 'syncV1Upload', answers: 'BAD_REQUEST', input: () => ({ body: {} }) },
  {
    operation: 'syncV1Upload',
    answers: 'CONFLICT',
    input: async (world) => {
      const upload = { upload_id: await world.uploadAttachment() }
      await world.client.syncV1Upload({ body: { ...upload, run_id: await world.createRun() } })
      return { body: { ...upload, run_id: await world.createRun() } }
    },
  },
  {
    operation: 'createSignInLink',
    answers: 'ok',
    input: () => ({}),
    check: ({ url }: SignInLink, world) => expect(url).toMatch(`${world.server.url}/sign-in?code=`),
  },
  {
    operation: 'listSessions',
    answers: 'ok',
    input: async (world) => {
      await signIn(world)
      return {}
    },
    check: (sessions: SessionItem[]) =>
      expect(sessions).toContainEqual(expect.objectContaining({ opened_by: 'key', is_current: false })),
  },
  {
    operation: 'deleteSession',
    answers: 'ok',
    input: async (world) => ({ params: { id: (await signIn(world))?.id ?? '' } }),
  },
  { operation: 'deleteSession', answers: 'NOT_FOUND', input: () => ({ params: { id: UNKNOWN_ID } }) },
  {
    operation: 'deleteSessions',
    answers: 'ok',
    input: async (world) => {
      await world.server.send('POST', '/session', { key: world.keys.user })
      return {}
    },
  },
  { operation: 'getHealth', answers: 'ok', input: () => ({}) },
  { operation: 'getReadiness', answers: 'ok', input: () => ({}) },
]
