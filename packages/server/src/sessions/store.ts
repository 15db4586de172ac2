import type { Query } from '../database/database'
import type { SessionsTable, SignInCodesTable } from '../database/schema/access'
import type { UserPrincipal } from '../keys/principal'

export async function insertSession(query: Query, session: SessionsTable): Promise<void> {
  await query.insertInto('sessions').values(session).execute()
}

export async function deleteSession(query: Query, hash: string): Promise<void> {
  await query.deleteFrom('sessions').where('hash', '=', hash).execute()
}

/** Ends the sessions that were opened with a key, and the codes that it asked for. */
export async function deleteSessionsOfKey(query: Query, keyId: number): Promise<void> {
  await query.deleteFrom('sessions').where('api_key_id', '=', keyId).execute()
  await query.deleteFrom('sign_in_codes').where('api_key_id', '=', keyId).execute()
}

export async function findPrincipalBySessionHash(
  query: Query,
  hash: string,
  nowUs: number,
): Promise<UserPrincipal | undefined> {
  const session = await query
    .selectFrom('sessions')
    .select(['user_id', 'api_key_id'])
    .where('hash', '=', hash)
    .where('expires_at_us', '>', nowUs)
    .executeTakeFirst()
  return session && { kind: 'user', userId: session.user_id, keyId: session.api_key_id }
}

export async function insertSignInCode(query: Query, code: SignInCodesTable): Promise<void> {
  await query.insertInto('sign_in_codes').values(code).execute()
}

/** Takes a code out of the store: whose it was, or undefined when it is unknown, used or expired. */
export async function takeSignInCode(
  query: Query,
  hash: string,
  nowUs: number,
): Promise<UserPrincipal | undefined> {
  const code = await query
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hash)
    .returning(['user_id', 'api_key_id', 'expires_at_us'])
    .executeTakeFirst()
  if (!code || code.expires_at_us <= nowUs) return undefined
  return { kind: 'user', userId: code.user_id, keyId: code.api_key_id }
}

export async function deleteExpiredSessions(query: Query, nowUs: number): Promise<void> {
  await query.deleteFrom('sessions').where('expires_at_us', '<=', nowUs).execute()
  await query.deleteFrom('sign_in_codes').where('expires_at_us', '<=', nowUs).execute()
}
