import type { DeletePartResponse } from '@runledger/protocol'
import type { Context } from '../context'
import { stillUsed, unknownPart } from './part-errors'
import { deletePartRecord, findPartRecord } from './part-record-store'
import { countRevisionUses, listRevisionRecords } from './revision-record-store'

/** Deletes a part and its revisions; 409 while units or runs refer to one of them. */
export async function deletePart({ database }: Context, number: string): Promise<DeletePartResponse> {
  return database.write(async ({ query }) => {
    const part = await findPartRecord(query, number)
    if (!part) throw unknownPart(number)
    const revisions = await listRevisionRecords(query, [part.id])
    const uses = await countRevisionUses(
      query,
      revisions.map(({ id }) => id),
    )
    if (uses.units + uses.runs > 0) throw stillUsed(`Part "${part.number}"`, uses)
    await deletePartRecord(query, part.id)
    return { id: part.public_id, deletedRevisionIds: revisions.map(({ public_id: id }) => id) }
  })
}
