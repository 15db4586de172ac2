import {
  CreateProcedureRequestSchema,
  CREATE_RUN_PATH,
  CreateRunRequestSchema,
  IDEMPOTENCY_KEY_HEADER,
  InitializeAttachmentRequestSchema,
  LENIENT_CREATE_RUN_PATH,
  LenientCreateRunRequestSchema,
  ListProceduresQuerySchema,
  ListRunsQuerySchema,
  ATTACHMENTS_PATH,
  PROCEDURES_PATH,
  RUNS_PATH,
  SyncUploadRequestSchema,
  UpdateRunRequestSchema,
  V1InitializeUploadRequestSchema,
  V1_INITIALIZE_UPLOAD_PATH,
  V1_SYNC_UPLOAD_PATH,
} from '@runledger/protocol'
import { sql } from 'kysely'
import { z } from 'zod'
import { finalizeAttachment } from '../attachments/finalize-attachment'
import { initializeAttachment } from '../attachments/initialize-attachment'
import { linkAttachments } from '../attachments/link-attachments'
import type { Database } from '../database/database'
import { failedValidation, HttpError } from '../errors'
import { createProcedure } from '../procedures/create-procedure'
import { listProcedurePage } from '../procedures/list-procedures'
import { createRun } from '../runs/create-run'
import { getRun } from '../runs/get-run'
import { listRunPage } from '../runs/list-runs'
import { defineRoute, type RawInput, type Route } from './route'

const IdParamsSchema = z.object({ id: z.string() })

/** Every JSON route of the service, each served at `/` and under `/api`. */
export const ROUTES: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: CREATE_RUN_PATH,
    body: CreateRunRequestSchema,
    operation: ({ context, principal, body, headers }) =>
      createRun(context, body, { principal, strict: true, idempotencyKey: readIdempotencyKey(headers) }),
  }),
  defineRoute({
    method: 'POST',
    path: LENIENT_CREATE_RUN_PATH,
    body: LenientCreateRunRequestSchema,
    operation: ({ context, principal, body, headers }) =>
      createRun(context, body, { principal, strict: false, idempotencyKey: readIdempotencyKey(headers) }),
  }),
  defineRoute({
    method: 'GET',
    path: RUNS_PATH,
    query: ListRunsQuerySchema,
    operation: ({ context, query }) => listRunPage(context, query),
  }),
  defineRoute({
    method: 'GET',
    path: `${RUNS_PATH}/:id`,
    params: IdParamsSchema,
    operation: ({ context, params }) => getRun(context, params.id),
  }),
  defineRoute({
    method: 'PATCH',
    path: `${RUNS_PATH}/:id`,
    params: IdParamsSchema,
    body: UpdateRunRequestSchema,
    operation: ({ context, params, body }) => linkAttachments(context, params.id, body.attachments ?? []),
  }),
  defineRoute({
    method: 'POST',
    path: `${RUNS_PATH}/:id/attachments`,
    params: IdParamsSchema,
    body: InitializeAttachmentRequestSchema,
    operation: ({ context, principal, params, body }) =>
      initializeAttachment(context, principal, { name: body.name, linkToRun: params.id }),
  }),
  defineRoute({
    method: 'POST',
    path: ATTACHMENTS_PATH,
    body: InitializeAttachmentRequestSchema,
    operation: ({ context, principal, body }) =>
      initializeAttachment(context, principal, { name: body.name }),
  }),
  defineRoute({
    method: 'POST',
    path: `${ATTACHMENTS_PATH}/:id/finalize`,
    params: IdParamsSchema,
    operation: ({ context, params }) => finalizeAttachment(context, params.id),
  }),
  defineRoute({
    method: 'POST',
    path: V1_INITIALIZE_UPLOAD_PATH,
    body: V1InitializeUploadRequestSchema,
    async operation({ context, principal, body }) {
      const { id, upload_url: uploadUrl } = await initializeAttachment(context, principal, {
        name: body.name,
        contentType: body.mimeType,
      })
      return { id, uploadUrl }
    },
  }),
  defineRoute({
    method: 'POST',
    path: V1_SYNC_UPLOAD_PATH,
    body: SyncUploadRequestSchema,
    operation: ({ context, body }) => linkAttachments(context, body.run_id, [body.upload_id]),
  }),
  defineRoute({
    method: 'POST',
    path: PROCEDURES_PATH,
    body: CreateProcedureRequestSchema,
    operation: ({ context, principal, body }) => createProcedure(context, principal, body),
  }),
  defineRoute({
    method: 'GET',
    path: PROCEDURES_PATH,
    query: ListProceduresQuerySchema,
    operation: ({ context, query }) => listProcedurePage(context, query),
  }),
  { method: 'GET', path: '/healthz', auth: 'none', answer: () => Promise.resolve({ status: 'ok' }) },
  {
    method: 'GET',
    path: '/readyz',
    auth: 'none',
    answer: ({ database }) => checkReady(database),
  },
]

async function checkReady(database: Database): Promise<{ status: 'ready' }> {
  try {
    await sql`SELECT 1`.execute(database.query)
    return { status: 'ready' }
  } catch (error) {
    throw new HttpError('SERVICE_UNAVAILABLE', 'The database does not answer.', {
      retryAfterSeconds: 5,
      cause: error,
    })
  }
}

const IdempotencyKeySchema = z.string().min(1).max(255)

function readIdempotencyKey(headers: RawInput['headers']): string | undefined {
  const sent = headers[IDEMPOTENCY_KEY_HEADER]
  if (sent === undefined) return undefined
  const key = IdempotencyKeySchema.safeParse(sent)
  if (key.success) return key.data
  throw failedValidation([
    { path: [IDEMPOTENCY_KEY_HEADER], message: 'must be one header of 1 to 255 characters' },
  ])
}
