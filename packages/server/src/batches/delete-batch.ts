import type { Context } from '../context'
import { unknownBatch } from './batch-errors'
import { deleteBatchRow, findBatch } from './batch-store'

/** Deletes a batch; its units and runs stay, without one. */
export async function deleteBatch({ database }: Context, number: string): Promise<{ id: string[] }> {
  return database.write(async ({ query }) => {
    const batch = await findBatch(query, number)
    if (!batch) throw unknownBatch(number)
    await deleteBatchRow(query, batch.id)
    return { id: [batch.public_id] }
  })
}
