import {
  DeleteAttachmentsQuerySchema,
  DeleteAttachmentsResponseSchema,
  FinalizeAttachmentResponseSchema,
  InitializeAttachmentRequestSchema,
  ListUnlinkedQuerySchema,
  UnlinkedPageSchema,
} from '../resources/attachment'
import { InitializeAttachmentResponseSchema } from '../responses'
import { ID_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Attachments'

export const ATTACHMENT_OPERATIONS = {
  initializeAttachment: {
    tag,
    summary: 'Initialize an attachment upload: the response has the address to PUT the bytes to',
    access: 'every-key',
    role: 'member',
    errors: ['BAD_GATEWAY'],
    body: InitializeAttachmentRequestSchema,
    response: InitializeAttachmentResponseSchema,
  },
  listUnlinkedAttachments: {
    tag,
    summary: 'List attachments that are linked to nothing, whoever uploaded them, newest first',
    access: 'user-key',
    role: 'viewer',
    errors: [],
    query: ListUnlinkedQuerySchema,
    response: UnlinkedPageSchema,
  },
  deleteAttachments: {
    tag,
    summary: 'Delete attachments with their bytes, those of runs and units too, all of them or none',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND', 'CONFLICT'],
    query: DeleteAttachmentsQuerySchema,
    response: DeleteAttachmentsResponseSchema,
  },
  finalizeAttachment: {
    tag,
    summary: 'Confirm that the bytes of an attachment were received, and get their address',
    access: 'any-key',
    role: 'member',
    errors: ['BAD_REQUEST', 'NOT_FOUND'],
    params: ID_PARAMS,
    response: FinalizeAttachmentResponseSchema,
  },
} as const satisfies Record<string, Operation>
