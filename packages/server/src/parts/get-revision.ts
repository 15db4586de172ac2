import { formatTimestampUs, type RevisionDetail } from '@runledger/protocol'
import type { Context } from '../context'
import { mapCreatedBy } from '../keys/created-by'
import { findRevisionOfPart, type RevisionPath } from './find-revision'
import { listUnitsOfRevision } from './revision-record-store'

/** `GET /v2/parts/{part_number}/revisions/{revision_number}`; 404 for a part or a revision that does not exist. */
export async function getRevision({ database }: Context, path: RevisionPath): Promise<RevisionDetail> {
  const { part, revision } = await findRevisionOfPart(database.query, path)
  const units = await listUnitsOfRevision(database.query, revision.id)
  return {
    id: revision.public_id,
    number: revision.number,
    image: null,
    image_id: revision.image_id,
    created_at: formatTimestampUs(revision.created_at_us),
    ...mapCreatedBy(revision),
    part: { id: part.public_id, number: part.number, name: part.name },
    units: units.map(({ public_id: id, serial_number }) => ({ id, serial_number })),
  }
}
