import type { ListUnlinkedQuery } from '@runledger/protocol'
import type { Query } from '../../../storage/database/database'
import { KEY_PROCEDURE_COLUMNS } from '../../access/keys/key-procedure'
import type { KeyOwner, UploaderColumns } from '../../access/keys/principal'
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

const UPLOADER_COLUMNS = [
  'created_by_user_id',
  'created_by_station_id',
  'created_by_procedure_id',
] as const satisfies (keyof UploaderColumns)[]

export async function sumUnlinkedBytes(query: Query, owner?: UploaderColumns): Promise<number> {
  let own = selectUnlinked(query)
  if (owner !== undefined)
    for (const column of UPLOADER_COLUMNS)
      own = own.where(`attachments.${column}`, 'is not distinct from', owner[column])
  const { bytes } = await own
    .select((select) => select.fn.sum<number | null>('blobs.size_bytes').as('bytes'))
    .executeTakeFirstOrThrow()
  return Number(bytes ?? 0)
}

export async function listUnlinked(query: Query, { limit, cursor }: ListUnlinkedQuery) {
  let select = selectUnlinked(query)
    .leftJoin('users', 'users.id', 'attachments.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'attachments.created_by_station_id')
    .leftJoin('live_procedures as procedures', 'procedures.id', 'attachments.created_by_procedure_id')
    .select(['attachments.id', 'attachments.public_id', 'attachments.name', 'attachments.content_type'])
    .select(['attachments.created_at_us', 'attachments.received_at_us', 'blobs.size_bytes'])
    .select(CREATED_BY_COLUMNS)
    .select(KEY_PROCEDURE_COLUMNS)
  if (cursor !== undefined) select = select.where('attachments.id', '<', cursor)
  return select
    .orderBy('attachments.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** At most `limit`. Returns their digests. */
export async function deleteUnlinkedOf(
  query: Query,
  { column, id }: KeyOwner,
  limit: number,
): Promise<{ sha256: string | null }[]> {
  const rows = await selectUnlinked(query)
    .select('attachments.id')
    .where(`attachments.created_by_${column}`, '=', id)
    .limit(limit)
    .execute()
  return deleteAttachmentRowsByKey(
    query,
    rows.map((row) => row.id),
  )
}
