import type { Query } from '../database/database'
import type { ApiKeysTable } from '../database/schema/access'
import type { Principal } from './principal'

export async function insertKey(query: Query, key: ApiKeysTable): Promise<void> {
  await query.insertInto('api_keys').values(key).execute()
}

/** Whose key has this hash; undefined when it is unknown, expired or revoked. */
export async function findPrincipalByKeyHash(
  query: Query,
  hash: string,
  nowUs: number,
): Promise<Principal | undefined> {
  const key = await query
    .selectFrom('api_keys')
    .select(['kind', 'user_id', 'station_id'])
    .where('hash', '=', hash)
    .where('revoked_at_us', 'is', null)
    .where((where) => where.or([where('expires_at_us', 'is', null), where('expires_at_us', '>', nowUs)]))
    .executeTakeFirst()
  if (!key) return undefined
  return key.station_id === null
    ? { kind: 'user', userId: key.user_id }
    : { kind: 'station', stationId: key.station_id }
}
