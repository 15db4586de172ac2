import { foldIdentifier } from '@runledger/protocol'
import type { Transaction } from '../database/database'
import type { Creation } from '../keys/creation'

export interface Unit {
  id: number
  serial_number: string
  revision_id: number
  parent_unit_id: number | null
  batch_id: number | null
}

const COLUMNS = 'id, serial_number, revision_id, parent_unit_id, batch_id'

export async function findUnit(transaction: Transaction, serialNumber: string): Promise<Unit | undefined> {
  const sql = `SELECT ${COLUMNS} FROM units WHERE serial_number_folded = ?`
  const [unit] = await transaction.all<Unit>(sql, [foldIdentifier(serialNumber)])
  return unit
}

export async function findUnitByKey(transaction: Transaction, id: number): Promise<Unit | undefined> {
  const [unit] = await transaction.all<Unit>(`SELECT ${COLUMNS} FROM units WHERE id = ?`, [id])
  return unit
}

export async function insertUnit(
  transaction: Transaction,
  creation: Creation,
  unit: { serialNumber: string; revisionId: number; batchId: number | null; createdByRunId: number },
): Promise<Unit> {
  await transaction.run(
    `INSERT INTO units
     (id, public_id, serial_number, serial_number_folded, revision_id, parent_unit_id, created_at_us, created_by_user_id,
      created_by_station_id, batch_id, created_by_run_id) VALUES (?, ?, ?, ?, ?, NULL, ?, ?, ?, ?, ?)`,
    [
      creation.id,
      creation.public_id,
      unit.serialNumber,
      foldIdentifier(unit.serialNumber),
      unit.revisionId,
      creation.created_at_us,
      creation.created_by_user_id,
      creation.created_by_station_id,
      unit.batchId,
      unit.createdByRunId,
    ],
  )
  return {
    id: creation.id,
    serial_number: unit.serialNumber,
    revision_id: unit.revisionId,
    parent_unit_id: null,
    batch_id: unit.batchId,
  }
}

export async function updateUnitPlace(
  transaction: Transaction,
  id: number,
  { revisionId, batchId }: { revisionId: number; batchId: number | null },
): Promise<void> {
  await transaction.run('UPDATE units SET revision_id = ?, batch_id = ? WHERE id = ?', [
    revisionId,
    batchId,
    id,
  ])
}

export async function updateUnitParent(
  transaction: Transaction,
  id: number,
  parentId: number,
): Promise<void> {
  await transaction.run('UPDATE units SET parent_unit_id = ? WHERE id = ?', [parentId, id])
}
