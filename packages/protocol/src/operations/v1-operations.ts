import {
  SyncUploadResponseSchema,
  SyncUploadRequestSchema,
  V1InitializeUploadResponseSchema,
  V1InitializeUploadRequestSchema,
} from '../resources/attachment'
import { IDEMPOTENCY_KEY_HEADER } from '../addresses'
import { DeletedV1ResponseSchema } from '../resources/common'
import { ListV1RunsResponseSchema, ListV1RunsQuerySchema } from '../resources/run'
import {
  UpdateV1UnitByNumberRequestSchema,
  UpdateV1UnitResponseSchema,
  UpdateV1UnitRequestSchema,
} from '../resources/unit'
import { CreateRunResponseSchema } from '../responses'
import { CreateRunRequestSchema, LenientCreateRunRequestSchema } from '../run'
import { ID_PARAMS } from './path-params'
import { CreateRunsRequestSchema, CreateRunsResponseSchema } from '../run-batch'
import type { Operation } from './operation'

const tag = 'v1'

/** Errors and request header of run creation, in either interface. */
export const CREATE_RUN_ERRORS = ['FORBIDDEN', 'NOT_FOUND', 'CONFLICT'] as const
export const CREATE_RUN_HEADERS = {
  [IDEMPOTENCY_KEY_HEADER]:
    'The same key with the same body answers the first response again and creates nothing; with another body 409.',
} as const

const NAMED_PROCEDURE = { in: 'body', fields: ['procedure_id', 'procedure_name'] } as const

export const V1_OPERATIONS = {
  createV1Run: {
    tag,
    summary: 'Create a run; the strict path',
    access: 'linked-procedure',
    role: 'member',
    subject: NAMED_PROCEDURE,
    errors: CREATE_RUN_ERRORS,
    headers: CREATE_RUN_HEADERS,
    body: CreateRunRequestSchema,
    response: CreateRunResponseSchema,
  },
  createV1Runs: {
    tag,
    summary:
      'Create several runs, each as if it were sent by itself: one that is refused keeps no other back',
    access: 'every-key',
    role: 'member',
    errors: [],
    body: CreateRunsRequestSchema,
    response: CreateRunsResponseSchema,
  },
  createLenientV1Run: {
    tag,
    summary: 'Create a run; the path that clients in the field call, lenient',
    access: 'linked-procedure',
    role: 'member',
    subject: NAMED_PROCEDURE,
    errors: CREATE_RUN_ERRORS,
    headers: CREATE_RUN_HEADERS,
    body: LenientCreateRunRequestSchema,
    response: CreateRunResponseSchema,
  },
  deleteV1Run: {
    tag,
    summary: 'Delete a run with everything in it',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    params: ID_PARAMS,
    response: DeletedV1ResponseSchema,
  },
  listV1Runs: {
    tag,
    summary: 'List runs, newest first; of one unit where serial_number names it',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListV1RunsQuerySchema,
    response: ListV1RunsResponseSchema,
  },
  updateV1Unit: {
    tag,
    summary: 'Set the sub-units of a unit',
    access: 'own-unit',
    role: 'member',
    subject: { in: 'params', fields: ['serial_number'] },
    errors: ['NOT_FOUND'],
    body: UpdateV1UnitRequestSchema,
    response: UpdateV1UnitResponseSchema,
  },
  updateV1UnitByNumber: {
    tag,
    summary: 'Set the sub-units of a unit; an older spelling, with its serial number in the body',
    access: 'own-unit',
    role: 'member',
    subject: { in: 'body', fields: ['serial_number'] },
    errors: ['NOT_FOUND'],
    body: UpdateV1UnitByNumberRequestSchema,
    response: UpdateV1UnitResponseSchema,
  },
  deleteV1Unit: {
    tag,
    summary: 'Delete a unit with its runs',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    response: DeletedV1ResponseSchema,
  },
  initializeV1Upload: {
    tag,
    summary: 'Initialize an attachment upload as clients of the v1 era do',
    access: 'every-key',
    role: 'member',
    errors: ['BAD_GATEWAY'],
    body: V1InitializeUploadRequestSchema,
    response: V1InitializeUploadResponseSchema,
  },
  syncV1Upload: {
    tag,
    summary: 'Link one uploaded attachment to a run as clients of the v1 era do',
    access: 'linked-run',
    role: 'member',
    subject: { in: 'body', fields: ['run_id'] },
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: SyncUploadRequestSchema,
    response: SyncUploadResponseSchema,
  },
} as const satisfies Record<string, Operation>
