import type { Handlers } from '../http/handler'
import { createBatch } from './create-batch'
import { deleteBatch } from './delete-batch'
import { getBatch } from './get-batch'
import { listBatchPage } from './list-batches'
import { updateBatch } from './update-batch'

export const BATCH_HANDLERS: Handlers<
  'listBatches' | 'createBatch' | 'getBatch' | 'updateBatch' | 'deleteBatch'
> = {
  listBatches: ({ context, query }) => listBatchPage(context, query),
  createBatch: ({ context, principal, body }) => createBatch(context, principal, body.number),
  getBatch: ({ context, params }) => getBatch(context, params.number),
  updateBatch: ({ context, params, body }) => updateBatch(context, params.number, body.new_number),
  deleteBatch: ({ context, params }) => deleteBatch(context, params.number),
}
