import { initializeAttachment } from '../attachments/initialize-attachment'
import { linkAttachments } from '../attachments/link-attachments'
import type { Handlers } from '../http/handler'
import { readIdempotencyKey } from '../http/idempotency-key'
import { createRun } from './create-run'
import { getRun } from './get-run'
import { listRunPage } from './list-runs'

export const RUN_HANDLERS: Handlers<
  'createV1Run' | 'createLenientV1Run' | 'listRuns' | 'getRun' | 'updateRun' | 'createRunAttachment'
> = {
  createV1Run: ({ context, principal, body, headers }) =>
    createRun(context, body, { principal, strict: true, idempotencyKey: readIdempotencyKey(headers) }),
  createLenientV1Run: ({ context, principal, body, headers }) =>
    createRun(context, body, { principal, strict: false, idempotencyKey: readIdempotencyKey(headers) }),
  listRuns: ({ context, query }) => listRunPage(context, query),
  getRun: ({ context, params }) => getRun(context, params.id),
  updateRun: ({ context, principal, params, body }) =>
    linkAttachments(context, principal, { runId: params.id, attachmentIds: body.attachments ?? [] }),
  createRunAttachment: ({ context, principal, params, body }) =>
    initializeAttachment(context, principal, { name: body.name, linkToRun: params.id }),
}
