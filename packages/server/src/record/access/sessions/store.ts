import type { Role } from '@runledger/protocol'
import { HttpError } from '../../../base/errors'
import type { Query, Transaction } from '../../../storage/database/database'
import type { ApiKeysTable, SessionsTable, SignInCodesTable } from '../../../storage/database/schema/index'
import type { UserPrincipal } from '../keys/principal'

export async function insertSession(query: Query, session: SessionsTable): Promise<void> {
  await query.insertInto('sessions').values(session).execute()
}

export async function deleteSession(query: Query, hash: string): Promise<void> {
  await query.deleteFrom('sessions').where('hash', '=', hash).execute()
}

/**
 * Also ends codes that the key requested. A user key also ends its user's sessions without a key, such as from the link that
 * `serve` prints: revoking a key should lock out everyone else.
 */
export async function deleteSessionsOfKey(
  query: Query,
  { id, kind, user_id }: Pick<ApiKeysTable, 'id' | 'kind' | 'user_id'>,
): Promise<void> {
  for (const table of SIGN_IN_TABLES) {
    await query.deleteFrom(table).where('api_key_id', '=', id).execute()
    if (kind !== 'user') continue
    await query.deleteFrom(table).where('user_id', '=', user_id).where('api_key_id', 'is', null).execute()
  }
}

const SIGN_IN_TABLES = ['sessions', 'sign_in_codes'] as const

/** Also deletes codes. Returns how many sessions there were. */
export async function deleteSessionsOfUser(query: Query, userId: number): Promise<number> {
  await query.deleteFrom('sign_in_codes').where('user_id', '=', userId).execute()
  const ended = await query.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute()
  return ended.length
}

export async function findPrincipalBySessionHash(
  query: Query,
  hash: string,
  nowUs: number,
): Promise<UserPrincipal | undefined> {
  const session = await query
    .selectFrom('sessions')
    .leftJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
    .select(['sessions.user_id', 'sessions.api_key_id', 'api_keys.role'])
    .where('sessions.hash', '=', hash)
    .where('sessions.expires_at_us', '>', nowUs)
    .executeTakeFirst()
  if (!session) return undefined
  const { user_id: userId, api_key_id: keyId } = session
  return { kind: 'user', userId, keyId, role: roleOf(session), sessionHash: hash }
}

/** A session without a key comes from the link that `serve` printed, so its user runs the service. */
function roleOf({ api_key_id, role }: { api_key_id: number | null; role: Role | null }): Role {
  return api_key_id === null ? 'admin' : (role ?? 'viewer')
}

/** The session may have ended since its request began. @throws HttpError UNAUTHORIZED */
export async function refuseEndedSession({ query }: Transaction, hash: string, nowUs: number): Promise<void> {
  const session = await query
    .selectFrom('sessions')
    .select('id')
    .where('hash', '=', hash)
    .where('expires_at_us', '>', nowUs)
    .executeTakeFirst()
  if (!session) throw new HttpError('UNAUTHORIZED', 'The session has ended meanwhile. Sign in again.')
}

export async function insertSignInCode(query: Query, code: SignInCodesTable): Promise<void> {
  await query.insertInto('sign_in_codes').values(code).execute()
}

export async function hasSignInCode(query: Query, hash: string): Promise<boolean> {
  const found = await query
    .selectFrom('sign_in_codes')
    .select('id')
    .where('hash', '=', hash)
    .executeTakeFirst()
  return found !== undefined
}

/** Uses up the code. Undefined when it is unknown, used or expired. */
export async function takeSignInCode(
  query: Query,
  hash: string,
  nowUs: number,
): Promise<Pick<UserPrincipal, 'userId' | 'keyId'> | undefined> {
  const code = await query
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hash)
    .returning(['user_id', 'api_key_id', 'expires_at_us'])
    .executeTakeFirst()
  if (!code || code.expires_at_us <= nowUs) return undefined
  return { userId: code.user_id, keyId: code.api_key_id }
}

export async function deleteExpiredSessions(query: Query, nowUs: number): Promise<void> {
  await query.deleteFrom('sessions').where('expires_at_us', '<=', nowUs).execute()
  await query.deleteFrom('sign_in_codes').where('expires_at_us', '<=', nowUs).execute()
}
