import type { Context } from '../context'
import { batchExists, unknownBatch } from './batch-errors'
import { findBatch, updateBatchNumber } from './batch-store'

/** Gives a batch another number; 409 when it is another batch's. */
export async function updateBatch(
  { database }: Context,
  number: string,
  newNumber: string,
): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const batch = await findBatch(query, number)
    if (!batch) throw unknownBatch(number)
    const holder = await findBatch(query, newNumber)
    if (holder && holder.id !== batch.id) throw batchExists(newNumber)
    await updateBatchNumber(query, batch.id, newNumber)
    return { id: batch.public_id }
  })
}
