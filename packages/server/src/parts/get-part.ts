import { formatTimestampUs, type PartDetail } from '@runledger/protocol'
import type { Context } from '../context'
import { mapCreatedBy } from '../keys/created-by'
import { unknownPart } from './part-errors'
import { findPartRecord } from './part-record-store'
import { listRevisionRecords } from './revision-record-store'

/** `GET /v2/parts/{number}`; 404 for a part that does not exist. */
export async function getPart({ database }: Context, number: string): Promise<PartDetail> {
  const part = await findPartRecord(database.query, number)
  if (!part) throw unknownPart(number)
  const revisions = await listRevisionRecords(database.query, [part.id])
  return {
    id: part.public_id,
    number: part.number,
    name: part.name,
    created_at: formatTimestampUs(part.created_at_us),
    revisions: revisions.map((revision) => ({
      id: revision.public_id,
      number: revision.number,
      image: null,
      created_at: formatTimestampUs(revision.created_at_us),
    })),
    ...mapCreatedBy(part),
  }
}
