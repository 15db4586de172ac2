import { KEY_PREFIX, type Role } from '@runledger/protocol'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from '../../../base/clock'
import type { Query, Transaction } from '../../../storage/database/database'
import type { KeyGenerator } from '../../../storage/database/keys'
import type { ApiKeysTable } from '../../../storage/database/schema/index'
import { HttpError } from '../../../base/errors'
import { KEY_PROCEDURE_COLUMNS } from './key-procedure'
import type { KeyOwner, Principal } from './principal'

const SECRET_BYTES = 32

/** 32 random bytes as base64url behind the prefix. */
export function createSecret(prefix: string): string {
  return `${prefix}${randomBytes(SECRET_BYTES).toString('base64url')}`
}

const SECRET_TEXT = /^[\w-]{43}$/

export function isSecret(text: string | undefined, prefix: string): text is string {
  return text !== undefined && text.startsWith(prefix) && SECRET_TEXT.test(text.slice(prefix.length))
}

/** SHA-256 as base64url. Secrets are random enough to need no salt. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}

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
  /** The owner of a user key; the issuer of another key. */
  userId: number
  /** Only user keys have one. */
  role?: Role | undefined
  stationId?: number | undefined
  procedureId?: number | undefined
  expiresAtUs?: number | undefined
}

interface KeyParts {
  nextKey: KeyGenerator
  clock: Clock
}

/**
 * Issues a station's or a project's key if its station or procedure is given, else the user's, by default an admin's. Only now can
 * the secret be read.
 */
export async function issueKey(
  { nextKey, clock }: KeyParts,
  { query }: Transaction,
  { name, userId, role = 'admin', stationId, procedureId, expiresAtUs }: NewKey,
): Promise<{ key: ApiKeysTable; secret: string }> {
  const kind = stationId !== undefined ? 'station' : procedureId !== undefined ? 'project' : 'user'
  const { secret, stored } = createKeySecret(kind)
  const key: ApiKeysTable = {
    id: nextKey(),
    public_id: randomUUID(),
    kind,
    role: kind === 'user' ? role : null,
    name,
    ...stored,
    user_id: userId,
    station_id: stationId ?? null,
    procedure_id: procedureId ?? null,
    created_at_us: clock(),
    expires_at_us: expiresAtUs ?? null,
    revoked_at_us: null,
    last_used_at_us: null,
  }
  await query.insertInto('api_keys').values(key).execute()
  return { key, secret }
}

interface ActiveKey {
  id: number
  principal: Principal
  expiresAtUs: number | null
}

/** Undefined for an unknown, expired or revoked key. */
export async function findActiveKey(
  query: Query,
  hash: string,
  nowUs: number,
): Promise<ActiveKey | undefined> {
  const key = await selectActiveKeys(query, nowUs)
    .select(['id', 'public_id', 'user_id', 'role', 'station_id', 'procedure_id', 'expires_at_us'])
    .where('hash', '=', hash)
    .executeTakeFirst()
  if (!key) return undefined
  return { id: key.id, principal: createPrincipal(key, hash), expiresAtUs: key.expires_at_us }
}

function createPrincipal(
  key: Pick<ApiKeysTable, 'id' | 'public_id' | 'user_id' | 'role' | 'station_id' | 'procedure_id'>,
  keyHash: string,
): Principal {
  const { id: keyId, station_id: stationId, procedure_id: procedureId } = key
  if (stationId !== null) return { kind: 'station', stationId, keyHash }
  if (procedureId !== null)
    return { kind: 'project', procedureId, keyId, keyPublicId: key.public_id, keyHash }
  return { kind: 'user', userId: key.user_id, role: key.role ?? 'viewer', keyId, keyHash }
}

/** Null for never; undefined for an unknown, expired or revoked key. */
export async function findKeyExpiry(
  query: Query,
  id: number,
  nowUs: number,
): Promise<number | null | undefined> {
  const key = await selectActiveKeys(query, nowUs)
    .select('expires_at_us')
    .where('id', '=', id)
    .executeTakeFirst()
  return key?.expires_at_us
}

/** Keys that expire are left out, because no other key could be created after their end. */
export async function hasOtherLastingAdminKey(query: Query, id: number): Promise<boolean> {
  const other = await query
    .selectFrom('api_keys')
    .select('id')
    .where('revoked_at_us', 'is', null)
    .where('expires_at_us', 'is', null)
    .where('role', '=', 'admin')
    .where('id', '<>', id)
    .limit(1)
    .executeTakeFirst()
  return other !== undefined
}

export async function hasActiveKeyOf(
  query: Query,
  { column, id }: KeyOwner,
  nowUs: number,
): Promise<boolean> {
  const active = selectActiveKeys(query, nowUs).select('id').where(column, '=', id)
  return (await active.executeTakeFirst()) !== undefined
}

/** The key may have been regenerated or deleted since its request began. @throws HttpError UNAUTHORIZED */
export async function refuseRevokedKey(
  transaction: Transaction,
  keyHash: string,
  nowUs: number,
): Promise<void> {
  const text = `SELECT id FROM api_keys
    WHERE hash = ? AND revoked_at_us IS NULL AND (expires_at_us IS NULL OR expires_at_us > ?)`
  const [active] = await transaction.all(text, [keyHash, nowUs])
  if (!active)
    throw new HttpError('UNAUTHORIZED', 'Invalid API key. It was regenerated or deleted meanwhile.')
}

function selectActiveKeys(query: Query, nowUs: number) {
  return query
    .selectFrom('api_keys')
    .where('revoked_at_us', 'is', null)
    .where((where) => where.or([where('expires_at_us', 'is', null), where('expires_at_us', '>', nowUs)]))
}

/** Also finds expired and revoked keys. */
export async function findKey(query: Query, publicId: string) {
  return query
    .selectFrom('api_keys')
    .leftJoin('stations', 'stations.id', 'api_keys.station_id')
    .leftJoin('procedures', 'procedures.id', 'api_keys.procedure_id')
    .selectAll('api_keys')
    .select(['stations.public_id as station_public_id', 'stations.name as station_name'])
    .select('stations.identifier as station_identifier')
    .select(KEY_PROCEDURE_COLUMNS)
    .where('api_keys.public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}

export async function listKeys(
  query: Query,
  { limit, cursor }: { limit: number; cursor?: number | undefined },
) {
  let select = query
    .selectFrom('api_keys')
    .leftJoin('stations', 'stations.id', 'api_keys.station_id')
    .leftJoin('procedures', 'procedures.id', 'api_keys.procedure_id')
    .innerJoin('users', 'users.id', 'api_keys.user_id')
    .selectAll('api_keys')
    .select(['stations.public_id as station_public_id', 'stations.name as station_name'])
    .select('stations.identifier as station_identifier')
    .select(KEY_PROCEDURE_COLUMNS)
    .select(['users.public_id as user_public_id', 'users.name as user_name', 'users.email as user_email'])
  if (cursor !== undefined) select = select.where('api_keys.id', '<', cursor)
  return select
    .orderBy('api_keys.id', 'desc')
    .limit(limit + 1)
    .execute()
}

/** The old secret is unknown from then on. */
export async function replaceSecret(
  query: Query,
  id: number,
  secret: Pick<ApiKeysTable, 'hash' | 'hint'>,
): Promise<void> {
  await query.updateTable('api_keys').set(secret).where('id', '=', id).execute()
}

/** The time of a former revocation stays. */
export async function revokeKey(query: Query, id: number, nowUs: number): Promise<void> {
  await query
    .updateTable('api_keys')
    .set({ revoked_at_us: nowUs })
    .where('id', '=', id)
    .where('revoked_at_us', 'is', null)
    .execute()
}

/** Returns their ids. */
export async function revokeStationKeys(query: Query, stationId: number, nowUs: number): Promise<string[]> {
  const revoked = await query
    .updateTable('api_keys')
    .set({ revoked_at_us: nowUs })
    .where('station_id', '=', stationId)
    .where('revoked_at_us', 'is', null)
    .returning('public_id')
    .execute()
  return revoked.map(({ public_id: id }) => id)
}

/** Never sets an earlier time than the recorded one. */
export async function recordKeyUse(query: Query, id: number, usedAtUs: number): Promise<void> {
  await query
    .updateTable('api_keys')
    .set({ last_used_at_us: usedAtUs })
    .where('id', '=', id)
    .where((where) =>
      where.or([where('last_used_at_us', 'is', null), where('last_used_at_us', '<', usedAtUs)]),
    )
    .execute()
}
