import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import type { Transaction } from '../database/database'
import type { ApiKeysTable } from '../database/schema/index'
import { createSecret, hashSecret } from './secret'
import { insertKey } from './store'

export const KEY_PREFIX = { user: 'rl_user_', station: 'rl_station_' } as const

/** A fresh secret, and what is stored of it. */
export interface FreshSecret {
  secret: string
  stored: Pick<ApiKeysTable, 'hash' | 'hint'>
}

export function createKeySecret(kind: ApiKeysTable['kind']): FreshSecret {
  const secret = createSecret(KEY_PREFIX[kind])
  return { secret, stored: { hash: hashSecret(secret), hint: `${KEY_PREFIX[kind]}…${secret.slice(-4)}` } }
}

export interface NewKey {
  name: string
  /** Whose key it is; of a station key, who issues it. */
  userId: number
  stationId?: number | undefined
  expiresAtUs?: number | undefined
}

/** Issues a key: of a station when one is given, else of the user. The only time that its secret can be read. */
export async function issueKey(
  { nextKey, clock }: Pick<Context, 'nextKey' | 'clock'>,
  { query }: Transaction,
  { name, userId, stationId, expiresAtUs }: NewKey,
): Promise<{ key: ApiKeysTable; secret: string }> {
  const kind = stationId === undefined ? 'user' : 'station'
  const { secret, stored } = createKeySecret(kind)
  const key: ApiKeysTable = {
    id: nextKey(),
    public_id: randomUUID(),
    kind,
    name,
    ...stored,
    user_id: userId,
    station_id: stationId ?? null,
    created_at_us: clock(),
    expires_at_us: expiresAtUs ?? null,
    revoked_at_us: null,
    last_used_at_us: null,
  }
  await insertKey(query, key)
  return { key, secret }
}
