import { expect } from 'vitest'
import type { SignInLink } from '../../../packages/protocol/src/index'
import type { ContractCase } from '../contract-case'
import { UNKNOWN_ID } from './unknown-id'

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
  { operation: 'deleteSessions', answers: 'ok', input: () => ({}) },
  { operation: 'getHealth', answers: 'ok', input: () => ({}) },
  { operation: 'getReadiness', answers: 'ok', input: () => ({}) },
]
