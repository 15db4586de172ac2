import { InitializeAttachmentAnswerSchema, InitializeAttachmentRequestSchema } from '../attachment'
import { UpdateRunAnswerSchema, UpdateRunRequestSchema } from '../attachment'
import { IdAnswerSchema } from '../resources/common'
import { CreateV2RunAnswerSchema, CreateV2RunRequestSchema } from '../resources/create-run'
import {
  DeleteRunsAnswerSchema,
  DeleteRunsQuerySchema,
  ListRunsQuerySchema,
  RunDetailSchema,
  RunPageSchema,
  UpdateMetadataRequestSchema,
} from '../resources/run'
import type { Operation } from './operation'
import { CREATE_RUN_ERRORS, CREATE_RUN_HEADERS } from './v1-operations'

const tag = 'Runs'

export const RUN_OPERATIONS = {
  createRun: {
    tag,
    summary: 'Create a run with its phases, measurements and logs',
    access: 'linked',
    errors: CREATE_RUN_ERRORS,
    headers: CREATE_RUN_HEADERS,
    body: CreateV2RunRequestSchema,
    answer: CreateV2RunAnswerSchema,
  },
  updateRunMetadata: {
    tag,
    summary: 'Set entries of the metadata of a run, and remove those whose value is null',
    access: 'linked',
    errors: ['NOT_FOUND'],
    body: UpdateMetadataRequestSchema,
    answer: IdAnswerSchema,
  },
  listRuns: {
    tag,
    summary: 'List runs, newest first unless told otherwise',
    access: 'any-key',
    errors: [],
    query: ListRunsQuerySchema,
    answer: RunPageSchema,
  },
  getRun: {
    tag,
    summary: 'Get a run with its phases, measurements, logs and attachments',
    access: 'any-key',
    errors: ['NOT_FOUND'],
    answer: RunDetailSchema,
  },
  updateRun: {
    tag,
    summary: 'Link uploaded attachments to a run',
    access: 'linked',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdateRunRequestSchema,
    answer: UpdateRunAnswerSchema,
  },
  deleteRuns: {
    tag,
    summary: 'Delete runs with everything in them: all of them, or none when one is unknown',
    access: 'user-key',
    errors: ['NOT_FOUND'],
    query: DeleteRunsQuerySchema,
    answer: DeleteRunsAnswerSchema,
  },
  createRunAttachment: {
    tag,
    summary: 'Initialize an attachment that is linked to the run when its bytes arrive',
    access: 'linked',
    errors: ['NOT_FOUND', 'BAD_GATEWAY'],
    body: InitializeAttachmentRequestSchema,
    answer: InitializeAttachmentAnswerSchema,
  },
} as const satisfies Record<string, Operation>
