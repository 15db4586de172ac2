import { InitializeAttachmentAnswerSchema, InitializeAttachmentRequestSchema } from '../attachment'
import { UpdateRunAnswerSchema, UpdateRunRequestSchema } from '../attachment'
import {
  DeleteRunsAnswerSchema,
  DeleteRunsQuerySchema,
  ListRunsQuerySchema,
  RunDetailSchema,
  RunPageSchema,
} from '../resources/run'
import type { Operation } from './operation'

const tag = 'Runs'

export const RUN_OPERATIONS = {
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
