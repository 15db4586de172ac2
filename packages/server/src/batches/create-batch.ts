import type { Context } from '../context'
import { createCreation } from '../keys/creation'
import type { Principal } from '../keys/principal'
import { batchExists } from './batch-errors'
import { insertBatch } from './batch-store'

/** Creates a batch; 409 when its number is taken. */
export async function createBatch(
  context: Context,
  principal: Principal,
  number: string,
): Promise<{ id: string }> {
  return context.database.write(async ({ query }) => {
    const batch = await insertBatch(query, createCreation(context, principal), number)
    if (!batch) throw batchExists(number)
    return { id: batch.public_id }
  })
}
