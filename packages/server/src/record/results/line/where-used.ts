import { type ListWhereUsedQuery, MAX_LINE_ROWS, type WhereUsed } from '@runledger/protocol'
import { notFound } from '../../../base/errors'
import type { StorageContext } from '../../../storage/context'
import { groupBy } from '../../../storage/database/rows'
import { findBatch } from '../../catalogue/batches/store'
import { readHolders } from './where-used-store'

const MAX_PAIRS = 10_000

export async function listWhereUsed(
  { database: { query } }: Pick<StorageContext, 'database'>,
  { batch_number: number }: ListWhereUsedQuery,
): Promise<WhereUsed> {
  const batch = await findBatch(query, number)
  if (!batch) throw notFound(`batch with the number "${number}"`)
  const rows = await readHolders(query, batch.id, MAX_PAIRS)
  const holders = [...groupBy(rows, ({ serial_number: serial }) => serial).values()]
  return {
    batch: { id: batch.public_id, number: batch.number },
    data: holders.slice(0, MAX_LINE_ROWS).flatMap(([first, ...others]) =>
      first
        ? [
            {
              serial_number: first.serial_number,
              part_number: first.part_number,
              batch: first.batch,
              sub_units: [first, ...others].map(({ sub_unit: serial }) => serial),
            },
          ]
        : [],
    ),
    has_more: holders.length > MAX_LINE_ROWS || rows.length === MAX_PAIRS,
  }
}
