import type { KeyListItem, ListKeysQuery, Page } from '@runledger/protocol'
import type { Context } from '../context'
import { pageFrom } from '../database/page'
import { mapPerson } from '../users/map-person'
import { listKeys } from './key-store'
import { formatOptionalTimestamp, mapKey } from './map-key'

/** `GET /v2/keys`. */
export async function listKeyPage(
  { database, keyUses }: Context,
  query: ListKeysQuery,
): Promise<Page<KeyListItem>> {
  return pageFrom(await listKeys(database.query, query), query.limit, (row) => ({
    ...mapKey(row),
    last_used_at: formatOptionalTimestamp(keyUses.lastUsedAtUs(row.id) ?? row.last_used_at_us),
    revoked_at: formatOptionalTimestamp(row.revoked_at_us),
    created_by_user: mapPerson(row),
  }))
}
