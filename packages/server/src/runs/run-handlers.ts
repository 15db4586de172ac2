import { initializeAttachment } from '../attachments/initialize-attachment'
import { linkAttachments } from '../attachments/link-attachments'
import type { Handlers } from '../http/handler'
import { readIdempotencyKey } from '../http/idempotency-key'
import { createRun } from './create-run'
import { deleteRuns } from './delete-runs'
import { getRun } from './get-run'
import { listRunPage } from './list-runs'
import { listV1Runs } from './list-v1-runs'
import { mapV1Run } from './map-v1-run'
import { mapV2Run } from './map-v2-run'
import { updateRunMetadata } from './update-run-metadata'

export const RUN_HANDLERS: Handlers<
  | 'createV1Run'
  | 'createLenientV1Run'
  | 'deleteV1Run'
  | 'listV1Runs'
  | 'createRun'
  | 'updateRunMetadata'
  | 'listRuns'
  | 'getRun'
  | 'updateRun'
  | 'deleteRuns'
  | 'createRunAttachment'
> = {
  createV1Run: ({ context, principal, body, headers }) =>
    createRun(context, mapV1Run(body, context.clock()), {
      principal,
      strict: true,
      idempotencyKey: readIdempotencyKey(headers),
    }),
  createLenientV1Run: ({ context, principal, body, headers }) =>
    createRun(context, mapV1Run(body, context.clock()), {
      principal,
      strict: false,
      idempotencyKey: readIdempotencyKey(headers),
    }),
  deleteV1Run: async ({ context, params }) => {
    const [id = ''] = await deleteRuns(context, [params.id])
    return { message: 'Run deleted', id }
  },
  listV1Runs: ({ context, query }) => listV1Runs(context, query),
  createRun: ({ context, principal, body, headers }) =>
    createRun(context, mapV2Run(body, context.clock()), {
      principal,
      strict: false,
      idempotencyKey: readIdempotencyKey(headers),
    }),
  updateRunMetadata: ({ context, principal, params, body }) =>
    updateRunMetadata(context, principal, { runId: params.id, metadata: body.metadata ?? {} }),
  listRuns: ({ context, query }) => listRunPage(context, query),
  getRun: ({ context, params }) => getRun(context, params.id),
  updateRun: ({ context, principal, params, body }) =>
    linkAttachments(context, principal, { runId: params.id, attachmentIds: body.attachments ?? [] }),
  deleteRuns: async ({ context, query }) => {
    const ids = await deleteRuns(context, query.ids)
    return { ids, id: ids }
  },
  createRunAttachment: ({ context, principal, params, body }) =>
    initializeAttachment(context, principal, { name: body.name, linkToRun: params.id }),
}
