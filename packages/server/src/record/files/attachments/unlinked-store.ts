import type { ListUnlinkedQuery } from '@runledger/protocol'
import type { Query } from '../../../storage/database/database'
import type { CreatorColumns } from '../../access/keys/principal'
import { CREATED_BY_COLUMNS } from '../../access/users/store'
import { deleteAttachmentRowsByKey, isNoImage } from './store'

function selectUnlinked(query: Query) {
  return query
    .selectFrom('attachments')
    .leftJoin('blobs', 'blobs.sha256', 'attachments.sha256')
    .where('attachments.run_id', 'is', null)
    .where('attachments.unit_id', 'is', null)
    .where(isNoImage)
}

export async function sumUnlinkedBytes(query: Query, owner?: CreatorColumns): Promise<number> {
  const all = selectUnlinked(query)
  const own =
    owner === undefined
      ? all
      : owner.created_by_station_id === null
        ? all
            .where('attachments.created_by_user_id', 'is not distinct from', owner.created_by_user_id)
            .where('attachments.created_by_station_id', 'is', null)
        : all.where('attachments.created_by_station_id', '=', owner.created_by_station_id)
  const { bytes } = await own
    .select((select) => select.fn.sum<number | null>('blobs.size_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

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

/** At most `limit`. Returns their digests. */
export async function deleteUnlinkedOf(
  query: Query,
  stationId: number,
  limit: number,
): Promise<{ sha256: string | null }[]> {
  const rows = await selectUnlinked(query)
    .select('attachments.id')
    .where('attachments.created_by_station_id', '=', stationId)
    .limit(limit)
    .execute()
  return deleteAttachmentRowsByKey(
    query,
    rows.map(({ id }) => id),
  )
}
