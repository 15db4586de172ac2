import {
  BatchDetailSchema,
  BatchPageSchema,
  CreateBatchRequestSchema,
  DeleteBatchResponseSchema,
  ListBatchesQuerySchema,
  UpdateBatchRequestSchema,
} from '../resources/batch'
import { IdResponseSchema } from '../resources/common'
import type { Operation } from './operation'

const tag = 'Batches'

export const BATCH_OPERATIONS = {
  listBatches: {
    tag,
    summary: 'List batches, newest first unless told otherwise',
    access: 'any-key',
    role: 'viewer',
    errors: [],
    query: ListBatchesQuerySchema,
    response: BatchPageSchema,
  },
  createBatch: {
    tag,
    summary: 'Create a batch',
    access: 'linked-station',
    role: 'member',
    errors: ['CONFLICT'],
    body: CreateBatchRequestSchema,
    response: IdResponseSchema,
  },
  getBatch: {
    tag,
    summary: 'Get a batch with its units',
    access: 'any-key',
    role: 'viewer',
    errors: ['NOT_FOUND'],
    response: BatchDetailSchema,
  },
  updateBatch: {
    tag,
    summary: 'Change the number of a batch',
    access: 'user-key',
    role: 'member',
    errors: ['NOT_FOUND', 'CONFLICT'],
    body: UpdateBatchRequestSchema,
    response: IdResponseSchema,
  },
  deleteBatch: {
    tag,
    summary: 'Delete a batch; its units and runs stay, without one',
    access: 'user-key',
    role: 'admin',
    errors: ['NOT_FOUND'],
    response: DeleteBatchResponseSchema,
  },
} as const satisfies Record<string, Operation>
