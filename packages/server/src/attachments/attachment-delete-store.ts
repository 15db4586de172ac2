import { inChunks } from '../database/chunks'
import type { Query } from '../database/database'

/** What attachments are linked to. */
export type AttachmentOwner = 'run' | 'unit'

const COLUMNS = {
  run: ['run_id', 'link_to_run_id'],
  unit: ['unit_id', 'link_to_unit_id'],
} as const satisfies Record<AttachmentOwner, readonly string[]>

/** Deletes what is linked to these owners, or would be when its bytes come; returns the bytes of each. */
export async function deleteAttachmentRows(
  query: Query,
  owner: AttachmentOwner,
  keys: readonly number[],
): Promise<{ sha256: string | null }[]> {
  const deleted: { sha256: string | null }[] = []
  for (const chunk of inChunks(keys)) {
    for (const column of COLUMNS[owner]) {
      deleted.push(
        ...(await query.deleteFrom('attachments').where(column, 'in', chunk).returning('sha256').execute()),
      )
    }
  }
  return deleted
}

/** Deletes those of these attachments that a unit has, or would have when their bytes come. */
export async function deleteAttachmentsOfUnit(query: Query, unitId: number, publicIds: readonly string[]) {
  const deleted: { public_id: string; sha256: string | null }[] = []
  for (const chunk of inChunks(publicIds)) {
    const rows = await query
      .deleteFrom('attachments')
      .where('public_id', 'in', chunk)
      .where((where) => where.or([where('unit_id', '=', unitId), where('link_to_unit_id', '=', unitId)]))
      .returning(['public_id', 'sha256'])
      .execute()
    deleted.push(...rows)
  }
  return deleted
}
