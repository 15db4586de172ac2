import { IdResponseSchema } from '../resources/common'
import {
  CreatePartRequestSchema,
  CreateRevisionRequestSchema,
  DeletePartResponseSchema,
  ListPartsQuerySchema,
  PartDetailSchema,
  PartPageSchema,
  RevisionDetailSchema,
  UpdatePartResponseSchema,
  UpdatePartRequestSchema,
  UpdateRevisionRequestSchema,
} from '../resources/part'
import type { Operation } from './operation'

const tag = 'Parts'

export const PART_OPERATIONS = {
  listParts: {
    tag,
    summary: 'List parts, newest first unless told otherwise',
    access: 'any-key',
    errors: [],
    query: ListPartsQuerySchema,
    response: PartPageSchema,
  },
  createPart: {
    tag,
    summary: 'Create a part with its first revision',
    access: 'linked-station',
    errors: ['CONFLICT'],
    body: CreatePartRequestSchema,
    response: IdResponseSchema,
  },
  getPart: {
    tag,
    summary: 'Get a part with its revisions',
    access: 'any-key',
    errors: ['NOT_FOUND'],
    response: PartDetailSchema,
  },
  updatePart: {
    tag,
    summary: 'Change the number or the name of a part',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdatePartRequestSchema,
    response: UpdatePartResponseSchema,
  },
  deletePart: {
    tag,
    summary: 'Delete a part with its revisions; 409 while units or runs refer to it',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: DeletePartResponseSchema,
  },
  createRevision: {
    tag,
    summary: 'Create a revision of a part',
    access: 'linked-station',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: CreateRevisionRequestSchema,
    response: IdResponseSchema,
  },
  getRevision: {
    tag,
    summary: 'Get a revision with its units',
    access: 'any-key',
    errors: ['NOT_FOUND'],
    response: RevisionDetailSchema,
  },
  updateRevision: {
    tag,
    summary: 'Change the number or the image of a revision',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdateRevisionRequestSchema,
    response: IdResponseSchema,
  },
  deleteRevision: {
    tag,
    summary: 'Delete a revision; 409 while units or runs refer to it',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    response: IdResponseSchema,
  },
} as const satisfies Record<string, Operation>
