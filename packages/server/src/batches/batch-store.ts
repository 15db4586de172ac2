import { foldIdentifier } from '@runledger/protocol'
import type { Query, Transaction } from '../database/database'
import type { Creation } from '../keys/creation'

export interface Batch {
  id: number
  public_id: string
  number: string
}

/** A batch by its number, without regard to case. */
export async function findBatch(query: Query, number: string): Promise<Batch | undefined> {
  return query
    .selectFrom('batches')
    .select(['id', 'public_id', 'number'])
    .where('number_folded', '=', foldIdentifier(number))
    .executeTakeFirst()
}

/** Inserts a batch; undefined when there is one with this number. */
export async function insertBatch(
  query: Query,
  creation: Creation,
  number: string,
): Promise<Batch | undefined> {
  return query
    .insertInto('batches')
    .values({ ...creation, number, number_folded: foldIdentifier(number) })
    .onConflict((conflict) => conflict.column('number_folded').doNothing())
    .returning(['id', 'public_id', 'number'])
    .executeTakeFirst()
}

export async function updateBatchNumber(query: Query, id: number, number: string): Promise<void> {
  await query
    .updateTable('batches')
    .set({ number, number_folded: foldIdentifier(number) })
    .where('id', '=', id)
    .execute()
}

/** Deletes a batch; its units and runs stay, without one. */
export async function deleteBatchRow(query: Query, id: number): Promise<void> {
  await query.updateTable('units').set({ batch_id: null }).where('batch_id', '=', id).execute()
  await query.updateTable('runs').set({ batch_id: null }).where('batch_id', '=', id).execute()
  await query.deleteFrom('batches').where('id', '=', id).execute()
}

/** The key of a batch by its number, for run creation. */
export async function findBatchKey(
  transaction: Transaction,
  number: string,
): Promise<{ id: number } | undefined> {
  const sql = 'SELECT id FROM batches WHERE number_folded = ?'
  const [batch] = await transaction.all<{ id: number }>(sql, [foldIdentifier(number)])
  return batch
}
