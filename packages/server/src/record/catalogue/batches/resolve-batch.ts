import { createCreationAt } from '../../access/keys/principal'
import { findBatchKey, insertBatch } from './store'
import { refuseNew } from '../refuse-new'
import type { CreateScope } from '../create-scope'

export async function findOrCreateBatch(
  scope: BatchScope,
  number: string | undefined,
): Promise<{ id: number } | undefined> {
  if (number === undefined) return undefined
  const known = await findBatchKey(scope.transaction, number)
  if (known) return known
  refuseNew(scope.settings, 'batch', `batch "${number}" does not exist`)
  const created = await insertBatch(scope.transaction.query, createCreationAt(scope), number)
  // None when another process created it in between.
  return created ?? findBatchKey(scope.transaction, number)
}

type BatchScope = Pick<CreateScope, 'transaction' | 'principal' | 'settings' | 'nowUs' | 'nextKey'>
