import {
  InitializeAttachmentRequestSchema,
  UpdateRunResponseSchema,
  UpdateRunRequestSchema,
} from '../resources/attachment'
import { InitializeAttachmentResponseSchema } from '../responses'
import { IdResponseSchema } from '../resources/common'
import { CreateV2RunResponseSchema, CreateV2RunRequestSchema } from '../resources/create-run'
import {
  DeleteRunsResponseSchema,
  DeleteRunsQuerySchema,
  ListRunsQuerySchema,
  RunDetailSchema,
  RunPageSchema,
  UpdateMetadataRequestSchema,
} from '../resources/run'
import { ID_PARAMS } from './path-params'
import type { Operation } from './operation'
import { CREATE_RUN_ERRORS, CREATE_RUN_HEADERS } from './v1-operations'

const tag = 'Runs'

const NAMED_RUN = { in: 'params', fields: ['id'] } as const

export const RUN_OPERATIONS = {
  createRun: {
    tag,
    summary: 'Create a run with its phases, measurements and logs',
    access: 'linked-procedure',
    role: 'member',
    subject: { in: 'body', fields: ['procedure_id'] },
    errors: CREATE_RUN_ERRORS,
    headers: CREATE_RUN_HEADERS,
    body: CreateV2RunRequestSchema,
    response: CreateV2RunResponseSchema,
  },
  updateRunMetadata: {
    tag,
    summary: 'Set entries of the metadata of a run, and remove those whose value is null',
    access: 'linked-run',
    role: 'member',
    subject: NAMED_RUN,
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    body: UpdateMetadataRequestSchema,
    response: IdResponseSchema,
  },
  listRuns: {
    tag,
    summary: 'List runs, newest first unless told otherwise',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListRunsQuerySchema,
    response: RunPageSchema,
  },
  getRun: {
    tag,
    summary: 'Get a run with its phases, measurements, logs and attachments',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: RunDetailSchema,
  },
  updateRun: {
    tag,
    summary: 'Link uploaded attachments to a run',
    access: 'linked-run',
    role: 'member',
    subject: NAMED_RUN,
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    body: UpdateRunRequestSchema,
    response: UpdateRunResponseSchema,
  },
  deleteRuns: {
    tag,
    summary: 'Delete runs with everything in them: all of them, or none when one is unknown',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    query: DeleteRunsQuerySchema,
    response: DeleteRunsResponseSchema,
  },
  createRunAttachment: {
    tag,
    summary: 'Initialize an attachment that is linked to the run when its bytes arrive',
    access: 'linked-run',
    role: 'member',
    subject: NAMED_RUN,
    errors: ['NOT_FOUND', 'BAD_GATEWAY'],
    params: ID_PARAMS,
    body: InitializeAttachmentRequestSchema,
    response: InitializeAttachmentResponseSchema,
  },
} as const satisfies Record<string, Operation>
