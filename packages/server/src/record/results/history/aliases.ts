import type { Transaction } from '../../../storage/database/database'
import { HttpError } from '../../../base/errors'
import { findTestById, findTestRow } from './test-detail'
import { setAlias } from './test-store'
import { formatTestId } from '../tests/test-references'

/** Takes the test's own earlier names along. */
export async function mergeTests(transaction: Transaction, earlier: number, later: number): Promise<void> {
  const { query } = transaction
  await query.updateTable('tests').set({ alias_of: later }).where('alias_of', '=', earlier).execute()
  await setAlias(query, earlier, later)
}

/** @throws HttpError NOT_FOUND, CONFLICT */
export async function addAlias(
  transaction: Transaction,
  publicId: string,
  earlierId: string,
): Promise<{ id: string }> {
  const test = await findTestById(transaction.query, publicId)
  const earlier = await findTestById(transaction.query, earlierId)
  if (earlier.id === test.id)
    throw new HttpError('CONFLICT', `The test "${earlierId}" is already this test, or an earlier name of it.`)
  if (earlier.procedure_id !== test.procedure_id)
    throw new HttpError(
      'CONFLICT',
      `The test "${earlierId}" is of another procedure, and a test cannot be of two.`,
    )
  await mergeTests(transaction, earlier.id, test.id)
  return { id: formatTestId(test.id) }
}

/** Makes the other a test of its own again. @throws HttpError NOT_FOUND */
export async function removeAlias(
  transaction: Transaction,
  publicId: string,
  earlierId: string,
): Promise<{ id: string }> {
  const test = await findTestById(transaction.query, publicId)
  const earlier = await findTestRow(transaction.query, earlierId)
  if (earlier.alias_of !== test.id)
    throw new HttpError('NOT_FOUND', `The test "${earlierId}" is not an earlier name of this test.`)
  await setAlias(transaction.query, earlier.id, null)
  return { id: formatTestId(test.id) }
}
