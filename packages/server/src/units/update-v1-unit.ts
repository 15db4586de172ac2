import type { SubUnit } from '@runledger/protocol'
import type { Context } from '../context'
import { resolveSubUnits } from './resolve-sub-units'
import { unknownUnit } from './unit-errors'
import { findUnitRecord, removeOtherChildren } from './unit-record-store'

/**
 * Sets what a unit holds, as clients of the v1 era do: the sub-units sent and no others; not sent, nothing changes. 400
 * for a sub-unit that does not exist or would make a circle.
 */
export async function updateV1Unit(
  { database }: Context,
  serialNumber: string,
  subUnits: readonly SubUnit[] | undefined,
): Promise<{ message: string; id: string }> {
  return database.write(async (transaction) => {
    const unit = await findUnitRecord(transaction.query, serialNumber)
    if (!unit) throw unknownUnit(serialNumber)
    if (subUnits) {
      const sent = subUnits.map(({ serial_number: value }, index) => ({
        value,
        path: ['sub_units', index, 'serial_number'],
      }))
      const held = await resolveSubUnits({ transaction }, unit, sent)
      await removeOtherChildren(
        transaction.query,
        unit.id,
        held.map(({ id }) => id),
      )
    }
    return { message: 'Unit updated', id: unit.public_id }
  })
}
