import { foldIdentifier, type UpdateUnitRequest } from '@runledger/protocol'
import { linkAttachment } from '../attachments/link-attachments'
import { findOrCreateBatch } from '../batches/find-or-create-batch'
import type { Context } from '../context'
import type { Query, Transaction } from '../database/database'
import type { UnitsTable } from '../database/schema/units'
import type { Principal } from '../keys/principal'
import { readSettings } from '../settings/settings-store'
import { chooseRevision } from './choose-revision'
import { unitExists, unknownUnit } from './unit-errors'
import { changeUnitMetadata } from './unit-metadata-store'
import { findUnitRecord, type UnitChange, updateUnitRecord } from './unit-record-store'

export interface UnitUpdate extends UpdateUnitRequest {
  serialNumber: string
}

/**
 * Changes what is sent of a unit: all of it or nothing. 404 for a part, revision or attachment that does not exist, 409
 * for a serial number that is taken or an attachment of something else; a new batch number makes a batch.
 */
export async function updateUnit(
  context: Context,
  principal: Principal,
  { serialNumber, ...sent }: UnitUpdate,
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const unit = await findUnitRecord(query, serialNumber)
    if (!unit) throw unknownUnit(serialNumber)
    await updateUnitRecord(query, unit.id, {
      ...(await renameUnit(query, unit, sent.new_serial_number)),
      ...(await moveToRevision(transaction, unit, sent)),
      ...(await moveToBatch({ ...context, transaction, principal }, sent.batch_number)),
      ...(sent.sample === undefined ? {} : { sample: sent.sample }),
    })
    await changeUnitMetadata(transaction, unit.id, sent.metadata ?? {})
    for (const id of sent.attachments ?? []) await linkAttachment(query, { unit_id: unit.id }, id)
    return { id: unit.public_id }
  })
}

async function renameUnit(query: Query, unit: UnitsTable, serialNumber?: string): Promise<UnitChange> {
  if (serialNumber === undefined) return {}
  const holder = await findUnitRecord(query, serialNumber)
  if (holder && holder.id !== unit.id) throw unitExists(serialNumber)
  return { serial_number: serialNumber, serial_number_folded: foldIdentifier(serialNumber) }
}

async function moveToRevision(
  transaction: Transaction,
  unit: UnitsTable,
  { part_number: partNumber, revision_number: revisionNumber }: UpdateUnitRequest,
): Promise<UnitChange> {
  if (partNumber === undefined && revisionNumber === undefined) return {}
  return { revision_id: await chooseRevision(transaction, unit.revision_id, { partNumber, revisionNumber }) }
}

async function moveToBatch(
  scope: Pick<Context, 'nextKey' | 'clock'> & { transaction: Transaction; principal: Principal },
  number?: string,
): Promise<UnitChange> {
  const settings = await readSettings(scope.transaction)
  const batch = await findOrCreateBatch({ ...scope, settings, nowUs: scope.clock() }, number)
  return batch ? { batch_id: batch.id } : {}
}
