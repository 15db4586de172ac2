import { HttpError } from '../errors'
import type { CreateScope } from '../runs/create-scope'
import type { Sent } from '../runs/run-request'
import { findHolders } from './find-holders'
import { findUnit, type Unit, updateUnitParent } from './unit-store'

/**
 * Puts sub-units into a unit and returns them in the order sent, each once. Each must exist, and none may hold the
 * unit itself, else 400 (contract decisions, v1).
 */
export async function resolveSubUnits(
  scope: Pick<CreateScope, 'transaction'>,
  unit: Pick<Unit, 'id' | 'serial_number' | 'parent_unit_id'>,
  sent: readonly Sent[],
): Promise<Unit[]> {
  const holders = await findHolders(scope.transaction, unit)
  const subUnits = new Map<number, Unit>()
  for (const { value: serialNumber, path } of sent) {
    const subUnit = await findUnit(scope.transaction, serialNumber)
    if (!subUnit)
      throw refuse(path, `no unit has the serial number "${serialNumber}"; create it with a run of its own`)
    if (holders.has(subUnit.id)) {
      throw refuse(path, `"${serialNumber}" is or holds "${unit.serial_number}" and cannot be part of it too`)
    }
    if (subUnit.parent_unit_id !== unit.id) await updateUnitParent(scope.transaction, subUnit.id, unit.id)
    subUnits.set(subUnit.id, subUnit)
  }
  return [...subUnits.values()]
}

function refuse(path: Sent['path'], message: string): HttpError {
  return new HttpError('BAD_REQUEST', `Sub-unit refused: ${message}.`, {
    issues: [{ path, message }],
  })
}
