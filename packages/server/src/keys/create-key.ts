import { randomUUID } from 'node:crypto'
import type { Context } from '../context'
import type { Transaction } from '../database/database'
import { insertKey } from './key-store'
import { createSecret, hashSecret } from './secret'

export const USER_KEY_PREFIX = 'rl_user_'

/** Issues a user key and answers it: the only time that it can be read. */
export async function createUserKey(
  { nextKey, clock }: Pick<Context, 'nextKey' | 'clock'>,
  transaction: Transaction,
  owner: { userId: number; name: string },
): Promise<string> {
  const secret = createSecret(USER_KEY_PREFIX)
  await insertKey(transaction.query, {
    id: nextKey(),
    public_id: randomUUID(),
    kind: 'user',
    name: owner.name,
    hint: `${USER_KEY_PREFIX}…${secret.slice(-4)}`,
    hash: hashSecret(secret),
    user_id: owner.userId,
    station_id: null,
    last_used_at_us: null,
    created_at_us: clock(),
    expires_at_us: null,
    revoked_at_us: null,
  })
  return secret
}
