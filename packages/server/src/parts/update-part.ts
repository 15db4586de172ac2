import {
  foldIdentifier,
  formatTimestampUs,
  type UpdatePartResponse,
  type UpdatePartRequest,
} from '@runledger/protocol'
import type { Context } from '../context'
import { partExists, unknownPart } from './part-errors'
import { findPartRecord, updatePartRecord } from './part-record-store'

/** Changes what is sent of a part; 409 when another part has the new number. */
export async function updatePart(
  { database, clock }: Context,
  number: string,
  sent: UpdatePartRequest,
): Promise<UpdatePartResponse> {
  return database.write(async ({ query }) => {
    const part = await findPartRecord(query, number)
    if (!part) throw unknownPart(number)
    const changed = { number: sent.new_number ?? part.number, name: sent.name ?? part.name }
    const holder = await findPartRecord(query, changed.number)
    if (holder && holder.id !== part.id) throw partExists(changed.number)
    const nowUs = clock()
    await updatePartRecord(query, part.id, {
      ...changed,
      number_folded: foldIdentifier(changed.number),
      updated_at_us: nowUs,
    })
    return { id: part.public_id, ...changed, updated_at: formatTimestampUs(nowUs) }
  })
}
