import { foldIdentifier } from '@runledger/protocol'
import { deleteAttachmentsOf } from '../attachments/delete-attachments'
import { removeUnreferencedBlobs } from '../blobs/remove-blob'
import type { Context } from '../context'
import type { Query } from '../database/database'
import type { UnitsTable } from '../database/schema/units'
import { deleteRunsByKey } from '../runs/delete-runs'
import { listRunKeysOfUnit } from '../runs/run-delete-store'
import { unknownUnit } from './unit-errors'
import { deleteUnitRecords, findUnitRecord } from './unit-record-store'

/**
 * Deletes units with their runs and attachments, all of them or, when one is unknown, none (404). What they hold stays.
 * Returns their ids, each once, in the order asked.
 */
export async function deleteUnits(context: Context, serialNumbers: readonly string[]): Promise<string[]> {
  const { units, orphans } = await context.database.write(async ({ query }) => {
    const found = await findUnits(query, serialNumbers)
    return { units: found, orphans: await deleteWithRuns(query, found) }
  })
  await removeUnreferencedBlobs(context, orphans)
  return units.map(({ public_id: id }) => id)
}

async function findUnits(query: Query, serialNumbers: readonly string[]): Promise<UnitsTable[]> {
  const asked = new Map(serialNumbers.map((number) => [foldIdentifier(number), number]))
  const units: UnitsTable[] = []
  for (const serialNumber of asked.values()) {
    const unit = await findUnitRecord(query, serialNumber)
    if (!unit) throw unknownUnit(serialNumber)
    units.push(unit)
  }
  return units
}

async function deleteWithRuns(query: Query, units: readonly UnitsTable[]): Promise<string[]> {
  const ids = units.map(({ id }) => id)
  const orphans: string[] = []
  for (const id of ids) orphans.push(...(await deleteRunsByKey(query, await listRunKeysOfUnit(query, id))))
  orphans.push(...(await deleteAttachmentsOf(query, 'unit', ids)))
  await deleteUnitRecords(query, ids)
  return orphans
}
