import { HttpError } from '../errors'
import { createCreationAt } from '../keys/creation'
import type { CreateScope } from '../runs/create-scope'
import { findBatchKey, insertBatch } from './batch-store'

type BatchScope = Pick<CreateScope, 'transaction' | 'principal' | 'settings' | 'nowUs' | 'nextKey'>

/** The batch that a run or a unit is put into, created when it is new; undefined when none was sent. */
export async function findOrCreateBatch(
  scope: BatchScope,
  number: string | undefined,
): Promise<{ id: number } | undefined> {
  if (number === undefined) return undefined
  const known = await findBatchKey(scope.transaction, number)
  if (known) return known
  if (!scope.settings['auto_create.batch']) {
    throw new HttpError(
      'FORBIDDEN',
      `Batch creation failed: batch "${number}" does not exist and the organisation does not create batches on first sight.`,
    )
  }
  const created = await insertBatch(scope.transaction.query, createCreationAt(scope), number)
  // None when another process created it in between.
  return created ?? findBatchKey(scope.transaction, number)
}
