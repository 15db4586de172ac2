import type { ListUnlinkedQuery } from '@runledger/protocol'
import type { Query } from '../database/database'
import type { CreatorColumns } from '../keys/principal'
import { CREATED_BY_COLUMNS } from '../users/store'
import { isNoImage } from './store'

/** The attachments that belong to nothing. */
function selectUnlinked(query: Query) {
  return query
    .selectFrom('attachments')
    .leftJoin('blobs', 'blobs.sha256', 'attachments.sha256')
    .where('attachments.run_id', 'is', null)
    .where('attachments.unit_id', 'is', null)
    .where(isNoImage)
}

function selectUnlinkedOf(
  query: Query,
  { created_by_user_id: userId, created_by_station_id: stationId }: CreatorColumns,
) {
  const all = selectUnlinked(query)
  return stationId === null
    ? all.where('attachments.created_by_user_id', '=', userId)
    : all.where('attachments.created_by_station_id', '=', stationId)
}

/** Bytes of those that a user or a station has uploaded. */
export async function sumUnlinkedBytes(query: Query, owner: CreatorColumns): Promise<number> {
  const { bytes } = await selectUnlinkedOf(query, owner)
    .select((select) => select.fn.sum<number | null>('blobs.size_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** The same of everybody. */
export async function sumAllUnlinkedBytes(query: Query): Promise<number> {
  const { bytes } = await selectUnlinked(query)
    .select((select) => select.fn.sum<number | null>('blobs.size_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

/** A page of them, newest first, and one more than `limit` when there are more. */
export async function listUnlinked(query: Query, { limit, cursor }: ListUnlinkedQuery) {
  let select = selectUnlinked(query)
    .leftJoin('users', 'users.id', 'attachments.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'attachments.created_by_station_id')
    .select(['attachments.id', 'attachments.public_id', 'attachments.name', 'attachments.content_type'])
    .select(['attachments.created_at_us', 'attachments.received_at_us', 'blobs.size_bytes'])
    .select(CREATED_BY_COLUMNS)
  if (cursor !== undefined) select = select.where('attachments.id', '<', cursor)
  return select
    .orderBy('attachments.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** Deletes those of a user or a station, at most `limit`; returns the bytes of each. */
export async function deleteUnlinkedOf(
  query: Query,
  owner: CreatorColumns,
  limit: number,
): Promise<{ sha256: string | null }[]> {
  const keys = await selectUnlinkedOf(query, owner).select('attachments.id').limit(limit).execute()
  if (keys.length === 0) return []
  return query
    .deleteFrom('attachments')
    .where(
      'id',
      'in',
      keys.map(({ id }) => id),
    )
    .returning('sha256')
    .execute()
}
