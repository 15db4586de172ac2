import type { CreateUnitRequest } from '@runledger/protocol'
import type { Context } from '../context'
import { createCreation } from '../keys/creation'
import type { Principal } from '../keys/principal'
import { findRevisionOfPart } from '../parts/find-revision'
import { unitExists } from './unit-errors'
import { changeUnitMetadata } from './unit-metadata-store'
import { insertUnitRecord } from './unit-record-store'

/** Creates a unit of a part and revision that exist, else 404; 409 when its serial number is taken. */
export async function createUnit(
  context: Context,
  principal: Principal,
  sent: CreateUnitRequest,
): Promise<{ id: string }> {
  return context.database.write(async (transaction) => {
    const { query } = transaction
    const { revision } = await findRevisionOfPart(query, sent)
    const unit = createCreation(context, principal)
    const inserted = await insertUnitRecord(query, unit, {
      serial_number: sent.serial_number,
      revision_id: revision.id,
      sample: sent.sample ?? null,
    })
    if (!inserted) throw unitExists(sent.serial_number)
    await changeUnitMetadata(transaction, unit.id, sent.metadata ?? {})
    return { id: unit.public_id }
  })
}
