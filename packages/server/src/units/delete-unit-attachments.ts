import { dropReferences } from '../attachments/delete-attachments'
import { deleteAttachmentsOfUnit } from '../attachments/attachment-delete-store'
import { removeUnreferencedBlobs } from '../blobs/remove-blob'
import type { Context } from '../context'
import { HttpError } from '../errors'
import { unknownUnit } from './unit-errors'
import { findUnitRecord } from './unit-record-store'

/** Deletes attachments of a unit with their bytes: all of them or, when one is not the unit's, none (404). */
export async function deleteUnitAttachments(
  context: Context,
  serialNumber: string,
  sentIds: readonly string[],
): Promise<{ ids: string[] }> {
  const ids = [...new Set(sentIds.map((id) => id.trim().toLowerCase()))]
  const orphans = await context.database.write(async ({ query }) => {
    const unit = await findUnitRecord(query, serialNumber)
    if (!unit) throw unknownUnit(serialNumber)
    const deleted = await deleteAttachmentsOfUnit(query, unit.id, ids)
    const missing = ids.find((id) => !deleted.some(({ public_id: deletedId }) => deletedId === id))
    if (missing !== undefined) {
      const message = `Unit "${unit.serial_number}" has no attachment with the id "${missing}".`
      throw new HttpError('NOT_FOUND', message)
    }
    return dropReferences(query, deleted)
  })
  await removeUnreferencedBlobs(context, orphans)
  return { ids }
}
