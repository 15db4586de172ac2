import {
  AddToQuarantineRequestSchema,
  GetQuarantineListQuerySchema,
  ListQuarantineQuerySchema,
  QuarantineEntrySchema,
  QuarantinePageSchema,
  SignedQuarantineListSchema,
  UpdateQuarantineRequestSchema,
} from '../resources/quarantine'
import { ID_PARAMS } from './path-params'
import type { Operation } from './operation'

const tag = 'Quarantine'

export const QUARANTINE_OPERATIONS = {
  listQuarantine: {
    tag,
    summary: 'List quarantine entries, newest first',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListQuarantineQuerySchema,
    response: QuarantinePageSchema,
  },
  addToQuarantine: {
    tag,
    summary: 'Quarantine a test with one of its errors, or with any error',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: AddToQuarantineRequestSchema,
    response: QuarantineEntrySchema,
  },
  updateQuarantine: {
    tag,
    summary: 'Extend a live quarantine entry, or change its owner, reason or link',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    body: UpdateQuarantineRequestSchema,
    response: QuarantineEntrySchema,
  },
  endQuarantine: {
    tag,
    summary: 'End a live quarantine entry now; it stays on record',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    params: ID_PARAMS,
    response: QuarantineEntrySchema,
  },
  getQuarantineList: {
    tag,
    summary: 'Get the live entries of a procedure, signed with the key of the request',
    access: 'every-key',
    role: 'viewer',
    errors: ['NOT_FOUND', 'FORBIDDEN'],
    query: GetQuarantineListQuerySchema,
    response: SignedQuarantineListSchema,
  },
} as const satisfies Record<string, Operation>
