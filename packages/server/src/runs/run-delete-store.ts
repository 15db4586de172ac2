import { inChunks } from '../database/chunks'
import type { Query } from '../database/database'

/** Keys of runs by their public ids; those that there is no run for are missing. */
export async function findRunKeys(query: Query, publicIds: readonly string[]): Promise<Map<string, number>> {
  const keys = new Map<string, number>()
  for (const chunk of inChunks(publicIds)) {
    const runs = await query
      .selectFrom('runs')
      .select(['id', 'public_id'])
      .where('public_id', 'in', chunk)
      .execute()
    for (const { id, public_id: publicId } of runs) keys.set(publicId, id)
  }
  return keys
}

/** Keys of all runs of a unit. */
export async function listRunKeysOfUnit(query: Query, unitId: number): Promise<number[]> {
  const runs = await query.selectFrom('runs').select('id').where('unit_id', '=', unitId).execute()
  return runs.map(({ id }) => id)
}

/** Deletes runs with all that hangs on them by a foreign key; their attachments' bytes are counted elsewhere. */
export async function deleteRunRows(query: Query, keys: readonly number[]): Promise<void> {
  for (const chunk of inChunks(keys)) await query.deleteFrom('runs').where('id', 'in', chunk).execute()
}
