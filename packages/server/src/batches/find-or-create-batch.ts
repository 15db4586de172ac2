import { foldIdentifier } from '@runledger/protocol'
import type { Transaction } from '../database/database'
import { HttpError } from '../errors'
import { createCreationAt } from '../keys/creation'
import type { CreateScope } from '../runs/create-scope'

/** The batch of a run, created when it is new; undefined when none was sent. */
export async function findOrCreateBatch(
  scope: Pick<CreateScope, 'transaction' | 'principal' | 'settings' | 'nowUs' | 'nextKey'>,
  number: string | undefined,
): Promise<{ id: number } | undefined> {
  if (number === undefined) return undefined
  const known = await findBatch(scope.transaction, number)
  if (known) return known
  if (!scope.settings['auto_create.batch']) {
    throw new HttpError(
      'FORBIDDEN',
      `Batch creation failed: batch "${number}" does not exist and the organisation does not create batches on first sight.`,
    )
  }
  const batch = createCreationAt(scope)
  await scope.transaction.run(
    `INSERT INTO batches (id, public_id, number, number_folded, created_at_us, created_by_user_id,
     created_by_station_id) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [
      batch.id,
      batch.public_id,
      number,
      foldIdentifier(number),
      batch.created_at_us,
      batch.created_by_user_id,
      batch.created_by_station_id,
    ],
  )
  return batch
}

async function findBatch(transaction: Transaction, number: string): Promise<{ id: number } | undefined> {
  const sql = 'SELECT id FROM batches WHERE number_folded = ?'
  const [batch] = await transaction.all<{ id: number }>(sql, [foldIdentifier(number)])
  return batch
}
