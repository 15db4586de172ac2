import { initializeAttachment } from '../attachments/initialize-attachment'
import { linkAttachments } from '../attachments/link-attachments'
import type { Call, Handlers } from '../http/handler'
import { readIdempotencyKey } from '../http/idempotency-key'
import { createRun, type CreateRunOptions } from './create-run'
import { deleteRuns } from './delete-runs'
import { getRun } from './get-run'
import { listRunPage } from './list-runs'
import { listV1Runs } from './list-v1-runs'
import { mapV1Run } from './map-v1-run'
import { mapV2Run } from './map-v2-run'
import type { RunRequest } from './run-request'
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
  createV1Run: (call) => create(call, mapV1Run(call.body, call.context.clock()), { strict: true }),
  createLenientV1Run: (call) => create(call, mapV1Run(call.body, call.context.clock()), { strict: false }),
  deleteV1Run: async ({ context, params }) => {
    const [id = ''] = await deleteRuns(context, [params.id])
    return { message: 'Run deleted', id }
  },
  listV1Runs: ({ context, query }) => listV1Runs(context, query),
  createRun: (call) => create(call, mapV2Run(call.body, call.context.clock()), { strict: false }),
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

function create(
  { context, principal, headers }: Pick<Call<'createRun'>, 'context' | 'principal' | 'headers'>,
  request: RunRequest,
  { strict }: Pick<CreateRunOptions, 'strict'>,
) {
  return createRun(context, request, { principal, strict, idempotencyKey: readIdempotencyKey(headers) })
}
