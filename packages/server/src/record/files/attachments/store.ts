import { sql, type SqlBool } from 'kysely'
import { dropBlobReferences } from '../blobs/store'
import type { Query } from '../../../storage/database/database'
import { inChunks, MOST_SHOWN } from '../../../storage/database/rows'
import type { AttachmentsTable } from '../../../storage/database/schema/index'

export async function insertAttachment(query: Query, attachment: AttachmentsTable): Promise<void> {
  await query.insertInto('attachments').values(attachment).execute()
}

export async function findAttachment(query: Query, publicId: string): Promise<AttachmentsTable | undefined> {
  const found = await query
    .selectFrom('attachments')
    .selectAll()
    .where('public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
  return found && (await isLive(query, found)) ? found : undefined
}

export async function listWaitingAttachments(
  query: Query,
  publicIds: readonly string[],
): Promise<Set<string>> {
  if (publicIds.length === 0) return new Set()
  const rows = await query
    .selectFrom('attachments')
    .select('public_id')
    .where('public_id', 'in', publicIds)
    .where('sha256', 'is', null)
    .execute()
  return new Set(rows.map(({ public_id }) => public_id))
}

/** Undefined when there is none or its bytes were never received. */
export async function findReceivedAttachment(query: Query, publicId: string) {
  const found = await query
    .selectFrom('attachments')
    .innerJoin('blobs', 'blobs.sha256', 'attachments.sha256')
    .select(['attachments.public_id', 'attachments.name', 'attachments.content_type'])
    .select(['attachments.run_id', 'attachments.unit_id', 'blobs.sha256', 'blobs.size_bytes'])
    .select('blobs.object_name')
    .select(['attachments.link_to_run_id', 'attachments.link_to_unit_id'])
    .where('attachments.public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
  return found && (await isLive(query, found)) ? found : undefined
}

/** All of runs, or the first of a unit, in the order of initialisation. */
export async function listLinkedAttachments(
  query: Query,
  owner: AttachmentOwner,
  ownerIds: readonly number[],
) {
  const all = query
    .selectFrom('attachments')
    .leftJoin('blobs', 'blobs.sha256', 'attachments.sha256')
    .select(['attachments.public_id', 'attachments.name', 'attachments.content_type', 'blobs.size_bytes'])
    .select('attachments.run_id')
    .where(owner === 'run' ? 'attachments.run_id' : 'attachments.unit_id', 'in', ownerIds)
    .orderBy('attachments.id')
  return (owner === 'run' ? all : all.limit(MOST_SHOWN)).execute()
}

export type LinkedAttachmentRow = Awaited<ReturnType<typeof listLinkedAttachments>>[number]

export async function updateAttachment(
  query: Query,
  id: number,
  change: Partial<
    Pick<AttachmentsTable, 'content_type' | 'sha256' | 'run_id' | 'unit_id' | 'received_at_us'>
  >,
): Promise<void> {
  await query.updateTable('attachments').set(change).where('id', '=', id).execute()
}

type Links = Pick<AttachmentsTable, 'run_id' | 'unit_id' | 'link_to_run_id' | 'link_to_unit_id'>

/** False while the owner is being deleted. */
async function isLive(query: Query, links: Links): Promise<boolean> {
  const [runId, unitId] = [links.run_id ?? links.link_to_run_id, links.unit_id ?? links.link_to_unit_id]
  if (runId !== null && !(await isThere(query, 'live_runs', runId))) return false
  return unitId === null || isThere(query, 'live_units', unitId)
}

async function isThere(query: Query, view: 'live_runs' | 'live_units', key: number): Promise<boolean> {
  return (await query.selectFrom(view).select('id').where('id', '=', key).executeTakeFirst()) !== undefined
}

/** Created before this time, at most `limit`. Returns their digests. */
export async function deleteUnlinkedAttachments(
  query: Query,
  beforeUs: number,
  limit: number,
): Promise<{ sha256: string | null }[]> {
  return query
    .deleteFrom('attachments')
    .where('id', 'in', (select) =>
      select
        .selectFrom('attachments')
        .select('id')
        .where('run_id', 'is', null)
        .where('unit_id', 'is', null)
        .where(isNoImage)
        .where('created_at_us', '<', beforeUs)
        .limit(limit),
    )
    .returning('sha256')
    .execute()
}

type AttachmentOwner = 'run' | 'unit'

const COLUMNS = {
  run: ['run_id', 'link_to_run_id'],
  unit: ['unit_id', 'link_to_unit_id'],
} as const satisfies Record<AttachmentOwner, readonly string[]>

/** Also those that will be linked when their bytes come; at most `limit`. Returns their digests. */
async function deleteAttachmentRows(
  query: Query,
  owner: AttachmentOwner,
  { keys, limit }: { keys: readonly number[]; limit: number },
): Promise<{ sha256: string | null }[]> {
  const deleted: { sha256: string | null }[] = []
  for (const column of COLUMNS[owner]) {
    const rows = await query
      .deleteFrom('attachments')
      .where('id', 'in', (select) =>
        select
          .selectFrom('attachments')
          .select('id')
          .where(column, 'in', keys)
          .limit(limit - deleted.length),
      )
      .returning('sha256')
      .execute()
    deleted.push(...rows)
  }
  return deleted
}

/** Also those that will be linked when their bytes come. */
export async function deleteAttachmentsOfUnit(query: Query, unitId: number, publicIds: readonly string[]) {
  const deleted: { public_id: string; name: string; sha256: string | null }[] = []
  for (const chunk of inChunks(publicIds)) {
    const rows = await query
      .deleteFrom('attachments')
      .where('public_id', 'in', chunk)
      .where((where) => where.or([where('unit_id', '=', unitId), where('link_to_unit_id', '=', unitId)]))
      .returning(['public_id', 'name', 'sha256'])
      .execute()
    deleted.push(...rows)
  }
  return deleted
}

/** The twin has the same bytes, and the name after that of a phase, `<phase>/<name>`. */
export async function deleteTwins(query: Query, runId: number, publicId: string) {
  const own = await findAttachment(query, publicId)
  if (!own || own.sha256 === null) return []
  const alike = await query
    .selectFrom('attachments')
    .select(['id', 'name'])
    .where('run_id', '=', runId)
    .where('sha256', '=', own.sha256)
    // Only attachments from the run's creation have their bytes from the start.
    .whereRef('received_at_us', '=', 'created_at_us')
    .execute()
  const twins = alike.filter(({ name }) => name.endsWith(`/${own.name}`))
  return deleteAttachmentRowsByKey(
    query,
    twins.map(({ id }) => id),
  )
}

/** Whatever they are linked to. Returns their digests. */
export async function deleteAttachmentRowsByKey(query: Query, keys: readonly number[]) {
  const deleted: { sha256: string | null }[] = []
  for (const chunk of inChunks(keys))
    deleted.push(
      ...(await query.deleteFrom('attachments').where('id', 'in', chunk).returning('sha256').execute()),
    )
  return deleted
}

/** Images of records are kept without a run. */
export const isNoImage = sql<SqlBool>`NOT EXISTS (
    SELECT 1 FROM stations WHERE stations.image_id = attachments.public_id AND stations.deleted_at_us IS NULL
  ) AND NOT EXISTS (SELECT 1 FROM parts WHERE parts.image_id = attachments.public_id)
  AND NOT EXISTS (SELECT 1 FROM revisions WHERE revisions.image_id = attachments.public_id)
  AND NOT EXISTS (SELECT 1 FROM units WHERE units.image_id = attachments.public_id)`

export async function isImage(query: Query, id: number): Promise<boolean> {
  const found = await query
    .selectFrom('attachments')
    .select('id')
    .where('id', '=', id)
    .where(sql<SqlBool>`NOT (${isNoImage})`)
    .executeTakeFirst()
  return found !== undefined
}

/** At most `limit`, including those without bytes; there may be more. Returns the names of bytes without attachments. */
export async function deleteAttachmentsOf(
  query: Query,
  owner: AttachmentOwner,
  some: { keys: readonly number[]; limit: number },
): Promise<{ orphans: string[]; isDone: boolean }> {
  const deleted = await deleteAttachmentRows(query, owner, some)
  return { orphans: await dropReferences(query, deleted), isDone: deleted.length < some.limit }
}

/** Returns the names of bytes without attachments. */
export async function dropReferences(
  query: Query,
  deleted: readonly { sha256: string | null }[],
): Promise<string[]> {
  return dropBlobReferences(
    query,
    deleted.map(({ sha256 }) => sha256).filter((sha256) => sha256 !== null),
  )
}
