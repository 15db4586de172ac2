import type { CreateRevisionRequest } from '@runledger/protocol'
import type { Context } from '../context'
import { createCreation } from '../keys/creation'
import type { Principal } from '../keys/principal'
import { revisionExists, unknownPart } from './part-errors'
import { findPartRecord } from './part-record-store'
import { insertRevisionRecord } from './revision-record-store'

/** Creates a revision of a part; 409 when the part has one with this number. */
export async function createRevision(
  context: Context,
  principal: Principal,
  { partNumber, number }: CreateRevisionRequest & { partNumber: string },
): Promise<{ id: string }> {
  return context.database.write(async ({ query }) => {
    const part = await findPartRecord(query, partNumber)
    if (!part) throw unknownPart(partNumber)
    const revision = createCreation(context, principal)
    if (!(await insertRevisionRecord(query, revision, { partId: part.id, number })))
      throw revisionExists(part.number, number)
    return { id: revision.public_id }
  })
}
