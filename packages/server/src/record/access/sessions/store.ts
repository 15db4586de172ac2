import type { Role } from '@runledger/protocol'
import { HttpError } from '../../../base/errors'
import type { Query, Transaction } from '../../../storage/database/database'
import type { ApiKeysTable, SessionsTable, SignInCodesTable } from '../../../storage/database/schema/index'
import { MOST_SHOWN } from '../../../storage/database/rows'
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

/** The newest 100, with the name of the key that opened each. */
export async function listSessionsOfUser(query: Query, userId: number, nowUs: number) {
  const rows = await query
    .selectFrom('sessions')
    .leftJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
    .selectAll('sessions')
    .select(['api_keys.role as key_role', 'api_keys.name as key_name'])
    .where('sessions.user_id', '=', userId)
    .where('sessions.expires_at_us', '>', nowUs)
    .orderBy('sessions.id', 'desc')
    .limit(MOST_SHOWN)
    .execute()
  return rows.map((row) => ({ ...row, role: roleOf(row), isProvided: row.sealed_tokens !== null }))
}

/** Also deletes codes. Returns how many sessions there were. */
export async function deleteSessionsOfUser(query: Query, userId: number): Promise<number> {
  await query.deleteFrom('sign_in_codes').where('user_id', '=', userId).execute()
  const ended = await query.deleteFrom('sessions').where('user_id', '=', userId).returning('id').execute()
  return ended.length
}

export interface StoredSession {
  id: number
  principal: UserPrincipal
  /** Undefined unless a sign-in provider opened it. */
  provided: ProvidedSession | undefined
}

export interface ProvidedSession {
  role: Role
  sealedTokens: string
  checkedAtUs: number
  confirmedAtUs: number
}

export async function findSession(
  query: Query,
  hash: string,
  nowUs: number,
): Promise<StoredSession | undefined> {
  const row = await query
    .selectFrom('sessions')
    .leftJoin('api_keys', 'api_keys.id', 'sessions.api_key_id')
    .selectAll('sessions')
    .select('api_keys.role as key_role')
    .where('sessions.hash', '=', hash)
    .where('sessions.expires_at_us', '>', nowUs)
    .executeTakeFirst()
  if (!row) return undefined
  const { id, user_id: userId, api_key_id: keyId } = row
  return {
    id,
    principal: { kind: 'user', userId, keyId, role: roleOf(row), sessionHash: hash },
    provided: mapProvided(row),
  }
}

function mapProvided(row: SessionsTable): ProvidedSession | undefined {
  const {
    role,
    sealed_tokens: sealedTokens,
    checked_at_us: checkedAtUs,
    confirmed_at_us: confirmedAtUs,
  } = row
  if (role === null || sealedTokens === null || checkedAtUs === null || confirmedAtUs === null)
    return undefined
  return { role, sealedTokens, checkedAtUs, confirmedAtUs }
}

interface RoleColumns {
  api_key_id: number | null
  role: Role | null
  key_role: Role | null
}

/** A session without a key and a provider comes from the link that `serve` printed, so its user runs the service. */
function roleOf({ api_key_id, role, key_role }: RoleColumns): Role {
  return role ?? (api_key_id === null ? 'admin' : (key_role ?? 'viewer'))
}

/** Of several requests that find the same session unchecked, one gets true. */
export async function claimCheck(
  query: Query,
  { id, checkedAtUs }: { id: number; checkedAtUs: number },
  nowUs: number,
): Promise<boolean> {
  const claimed = await query
    .updateTable('sessions')
    .set({ checked_at_us: nowUs })
    .where('id', '=', id)
    .where('checked_at_us', '=', checkedAtUs)
    .returning('id')
    .executeTakeFirst()
  return claimed !== undefined
}

/** Returns false when the session has ended. */
export async function updateProvided(
  query: Query,
  id: number,
  { role, sealedTokens, confirmedAtUs }: Omit<ProvidedSession, 'checkedAtUs'>,
): Promise<boolean> {
  const updated = await query
    .updateTable('sessions')
    .set({ role, sealed_tokens: sealedTokens, confirmed_at_us: confirmedAtUs })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return updated !== undefined
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
): Promise<SignInCodesTable | undefined> {
  const code = await query
    .deleteFrom('sign_in_codes')
    .where('hash', '=', hash)
    .returningAll()
    .executeTakeFirst()
  return code && code.expires_at_us > nowUs ? code : undefined
}

export async function deleteExpiredSessions(query: Query, nowUs: number): Promise<void> {
  await query.deleteFrom('sessions').where('expires_at_us', '<=', nowUs).execute()
  await query.deleteFrom('sign_in_codes').where('expires_at_us', '<=', nowUs).execute()
}
