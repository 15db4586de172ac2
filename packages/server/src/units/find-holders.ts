import type { Transaction } from '../database/database'
import { findUnitByKey } from './unit-store'

/** Keys of a unit itself and of all units that it is in: none of them can be put into it. */
export async function findHolders(
  transaction: Transaction,
  unit: { id: number; parent_unit_id: number | null },
): Promise<Set<number>> {
  const holders = new Set([unit.id])
  let parentId = unit.parent_unit_id
  while (parentId !== null && !holders.has(parentId)) {
    holders.add(parentId)
    parentId = (await findUnitByKey(transaction, parentId))?.parent_unit_id ?? null
  }
  return holders
}
