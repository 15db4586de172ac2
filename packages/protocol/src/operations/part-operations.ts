import { IdAnswerSchema } from '../resources/common'
import {
  CreatePartRequestSchema,
  CreateRevisionRequestSchema,
  DeletePartAnswerSchema,
  ListPartsQuerySchema,
  PartDetailSchema,
  PartPageSchema,
  RevisionDetailSchema,
  UpdatePartAnswerSchema,
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
    answer: PartPageSchema,
  },
  createPart: {
    tag,
    summary: 'Create a part with its first revision',
    access: 'any-key',
    errors: ['CONFLICT'],
    body: CreatePartRequestSchema,
    answer: IdAnswerSchema,
  },
  getPart: {
    tag,
    summary: 'Get a part with its revisions',
    access: 'any-key',
    errors: ['NOT_FOUND'],
    answer: PartDetailSchema,
  },
  updatePart: {
    tag,
    summary: 'Change the number or the name of a part',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdatePartRequestSchema,
    answer: UpdatePartAnswerSchema,
  },
  deletePart: {
    tag,
    summary: 'Delete a part with its revisions; 409 while units or runs refer to it',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    answer: DeletePartAnswerSchema,
  },
  createRevision: {
    tag,
    summary: 'Create a revision of a part',
    access: 'any-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: CreateRevisionRequestSchema,
    answer: IdAnswerSchema,
  },
  getRevision: {
    tag,
    summary: 'Get a revision with its units',
    access: 'any-key',
    errors: ['NOT_FOUND'],
    answer: RevisionDetailSchema,
  },
  updateRevision: {
    tag,
    summary: 'Change the number or the image of a revision',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdateRevisionRequestSchema,
    answer: IdAnswerSchema,
  },
  deleteRevision: {
    tag,
    summary: 'Delete a revision; 409 while units or runs refer to it',
    access: 'user-key',
    errors: ['NOT_FOUND', 'CONFLICT'],
    answer: IdAnswerSchema,
  },
} as const satisfies Record<string, Operation>
