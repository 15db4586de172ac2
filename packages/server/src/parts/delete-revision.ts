import type { Context } from '../context'
import { findRevisionOfPart, type RevisionPath } from './find-revision'
import { stillUsed } from './part-errors'
import { countRevisionUses, deleteRevisionRecord } from './revision-record-store'

/** Deletes a revision; 409 while units or runs refer to it. */
export async function deleteRevision({ database }: Context, path: RevisionPath): Promise<{ id: string }> {
  return database.write(async ({ query }) => {
    const { part, revision } = await findRevisionOfPart(query, path)
    const uses = await countRevisionUses(query, [revision.id])
    if (uses.units + uses.runs > 0)
      throw stillUsed(`Revision "${revision.number}" of part "${part.number}"`, uses)
    await deleteRevisionRecord(query, revision.id)
    return { id: revision.public_id }
  })
}
