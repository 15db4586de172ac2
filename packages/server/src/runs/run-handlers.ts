import { initializeAttachment } from '../attachments/initialize-attachment'
import { linkAttachments } from '../attachments/link-attachments'
import type { Handlers } from '../http/handler'
import { readIdempotencyKey } from '../http/idempotency-key'
import { createRun } from './create-run'
import { deleteRuns } from './delete-runs'
import { getRun } from './get-run'
import { listRunPage } from './list-runs'

export const RUN_HANDLERS: Handlers<
  | 'createV1Run'
  | 'createLenientV1Run'
  | 'deleteV1Run'
  | 'listRuns'
  | 'getRun'
  | 'updateRun'
  | 'deleteRuns'
  | 'createRunAttachment'
> = {
  createV1Run: ({ context, principal, body, headers }) =>
    createRun(context, body, { principal, strict: true, idempotencyKey: readIdempotencyKey(headers) }),
  createLenientV1Run: ({ context, principal, body, headers }) =>
    createRun(context, body, { principal, strict: false, idempotencyKey: readIdempotencyKey(headers) }),
  deleteV1Run: async ({ context, params }) => {
    const [id = ''] = await deleteRuns(context, [params.id])
    return { message: 'Run deleted', id }
  },
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
