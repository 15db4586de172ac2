import {
  type CreateKeyRequest,
  formatTimestampUs,
  type IssuedKey,
  type KeyListItem,
  type ListKeysQuery,
  type Page,
  parseTimestampUs,
} from '@runledger/protocol'
import type { Context } from '../call/context'
import type { Query } from '../../storage/database/database'
import type { ApiKeysTable } from '../../storage/database/schema/index'
import { pageFrom } from '../../storage/database/sorted-page'
import { failedValidation, HttpError, notFound } from '../../base/errors'
import { readCredentials, writeCredentials } from '../../storage/folder/data-folder'
import type { Handlers } from '../call/handler'
import type { Facts } from '../../record/access/audit/record-change'
import { deleteSessionsOfKey } from '../../record/access/sessions/store'
import { findKnownStation } from '../stations/handlers'
import { findKnownProcedure } from '../../record/catalogue/procedures/resolve-procedure'
import {
  findUser,
  findUserByPublicId,
  mapPerson,
  mapStation,
  type StationColumns,
} from '../../record/access/users/store'
import { type KeyProcedureColumns, mapKeyProcedure } from '../../record/access/keys/key-procedure'
import type { KeyOwner, UserPrincipal } from '../../record/access/keys/principal'
import {
  createKeySecret,
  findKey,
  hasActiveKeyOf,
  hashSecret,
  hasOtherLastingAdminKey,
  issueKey,
  listKeys,
  replaceSecret,
  revokeKey,
} from '../../record/access/keys/store'

export const KEY_HANDLERS: Handlers<'createKey' | 'listKeys' | 'regenerateKey' | 'deleteKey'> = {
  createKey: ({ context, principal, body }) => createKey(context, principal, body),
  listKeys: ({ context, query }) => listKeyPage(context, query),
  regenerateKey: ({ context, params }) => regenerateKey(context, params.id),
  deleteKey: ({ context, params }) => deleteKey(context, params.id),
}

/** @throws HttpError NOT_FOUND for an unknown user, station or procedure, BAD_REQUEST for what makes no key */
async function createKey(
  context: Context,
  principal: UserPrincipal,
  request: CreateKeyRequest,
): Promise<IssuedKey> {
  refuseOtherFields(request)
  const expiresAtUs = parseExpiry(request.expires_at, context.clock())
  return context.database.write(async (transaction) => {
    const station = await findStationOf(transaction.query, request)
    const procedure = await findProcedureOf(transaction.query, request)
    const owner = await findOwnerOf(transaction.query, request)
    const { key, secret } = await issueKey(context, transaction, {
      name: request.name,
      role: request.role,
      userId: owner?.id ?? principal.userId,
      stationId: station?.id,
      procedureId: procedure?.id,
      expiresAtUs,
    })
    const names = {
      station_public_id: station?.public_id ?? null,
      station_name: station?.name ?? null,
      station_identifier: station?.identifier ?? null,
      procedure_public_id: procedure?.public_id ?? null,
      procedure_name: procedure?.name ?? null,
      procedure_identifier: procedure?.identifier ?? null,
    }
    const issued = mapKey({ ...key, ...names })
    await context.recordChange(transaction, {
      ...describeKey(key),
      after: await readFacts(transaction.query, key.user_id, issued),
    })
    return { ...issued, key: secret }
  })
}

function describeKey({ public_id: id, name }: Pick<ApiKeysTable, 'public_id' | 'name'>) {
  return { kind: 'key', id, name } as const
}

async function readFacts(query: Query, userId: number, key: Omit<IssuedKey, 'key'>): Promise<Facts> {
  const { kind, role, hint, expires_at, station, procedure } = key
  const facts = { kind, role, hint, expires_at, station: station?.name, procedure: procedure?.name }
  if (kind !== 'user') return facts
  const user = await findUser(query, userId)
  return { ...facts, user: user?.name ?? user?.email, user_id: user?.public_id }
}

async function findStationOf(query: Query, { station_id: stationId }: CreateKeyRequest) {
  return stationId === undefined ? undefined : findKnownStation(query, stationId)
}

async function findProcedureOf(query: Query, { procedure_id: procedureId }: CreateKeyRequest) {
  return procedureId === undefined ? undefined : findKnownProcedure(query, procedureId)
}

async function findOwnerOf(query: Query, { user_id: userId }: CreateKeyRequest) {
  if (userId === undefined) return undefined
  const user = await findUserByPublicId(query, userId)
  if (user) return user
  throw notFound(`user with the id "${userId}"`)
}

const FIELDS = {
  user: { required: undefined, allowed: ['role', 'user_id'] },
  station: { required: 'station_id', allowed: ['station_id'] },
  project: { required: 'procedure_id', allowed: ['procedure_id'] },
} as const

const FIELDS_OF_KINDS = ['role', 'user_id', 'station_id', 'procedure_id'] as const

/** @throws HttpError BAD_REQUEST for a field of another kind of key, or without the field of its own */
function refuseOtherFields(request: CreateKeyRequest): void {
  const { required, allowed } = FIELDS[request.kind]
  if (required !== undefined && request[required] === undefined)
    throw failedValidation([{ path: [required], message: `is required for a ${request.kind} key` }])
  for (const field of FIELDS_OF_KINDS) {
    const sent = request[field]
    if (sent !== undefined && !(allowed as readonly string[]).includes(field))
      throw failedValidation([
        { path: [field], message: `must be left out of a ${request.kind} key; received "${sent}"` },
      ])
  }
}

function parseExpiry(expiresAt: string | undefined, nowUs: number): number | undefined {
  if (expiresAt === undefined) return undefined
  const expiresAtUs = parseTimestampUs(expiresAt) ?? 0
  if (expiresAtUs > nowUs) return expiresAtUs
  throw failedValidation([
    { path: ['expires_at'], message: `must be in the future; received "${expiresAt}"` },
  ])
}

async function listKeyPage({ database, keyUses }: Context, query: ListKeysQuery): Promise<Page<KeyListItem>> {
  return pageFrom(await listKeys(database.query, query), query.limit, (row) => ({
    ...mapKey(row),
    last_used_at: formatOptionalTimestamp(keyUses.lastUsedAtUs(row.id) ?? row.last_used_at_us),
    revoked_at: formatOptionalTimestamp(row.revoked_at_us),
    created_by_user: mapPerson(row),
  }))
}

/**
 * The old secret is invalid at once, its sessions end, and the local credentials file takes the new secret if it had the old.
 * @throws HttpError NOT_FOUND, also for a revoked key; BAD_REQUEST for an expired one
 */
async function regenerateKey(context: Context, publicId: string): Promise<IssuedKey> {
  const { key, secret } = await context.database.write(async (transaction) => {
    const { query } = transaction
    const found = await findKey(query, publicId)
    if (!found || found.revoked_at_us !== null) throw keyNotFound(publicId)
    if (found.expires_at_us !== null && found.expires_at_us <= context.clock())
      throw keyExpiredError(publicId)
    const fresh = createKeySecret(found.kind)
    await replaceSecret(query, found.id, fresh.stored)
    await deleteSessionsOfKey(query, found)
    await context.recordChange(transaction, {
      ...describeKey(found),
      before: { hint: found.hint },
      after: { hint: fresh.stored.hint },
    })
    return { key: { ...found, hint: fresh.stored.hint }, secret: fresh.secret }
  })
  await replaceInCredentials(context, key.hash, secret)
  return { ...mapKey(key), key: secret }
}

// Only the response shows the new secret, so a failed write of the file must not prevent it.
async function replaceInCredentials(
  { config, log }: Context,
  oldHash: string,
  secret: string,
): Promise<void> {
  try {
    const credentials = await readCredentials(config.dataDir)
    if (credentials && hashSecret(credentials.api_key) === oldHash)
      await writeCredentials(config.dataDir, { ...credentials, api_key: secret })
  } catch (error) {
    log.error('The credentials file could not take its regenerated key: start the service again', error)
  }
}

function keyExpiredError(publicId: string): HttpError {
  return new HttpError(
    'BAD_REQUEST',
    `Key ${publicId} is expired, and so would be its new secret. Create a new key (POST /v2/keys).`,
  )
}

/**
 * The record stays; its sessions end. The last key of a station, or of a procedure, takes their unlinked uploads with it. The last
 * key of an admin that does not expire is refused, because no key could be created without it. @throws HttpError NOT_FOUND, BAD_REQUEST
 */
async function deleteKey(
  { database, clock, unlinked, recordChange }: Context,
  publicId: string,
): Promise<{ id: string }> {
  const { id, ended } = await database.write(async (transaction) => {
    const { query } = transaction
    const nowUs = clock()
    const key = await findKey(query, publicId)
    if (!key || key.revoked_at_us !== null) throw keyNotFound(publicId)
    if (key.role === 'admin' && !(await hasOtherLastingAdminKey(query, key.id))) {
      throw new HttpError(
        'BAD_REQUEST',
        `All other keys with the role admin expire, or there are none. First create one that does not expire (POST /v2/keys), or regenerate key ${publicId}.`,
      )
    }
    await revokeKey(query, key.id, nowUs)
    await deleteSessionsOfKey(query, key)
    await recordChange(transaction, {
      ...describeKey(key),
      before: await readFacts(transaction.query, key.user_id, mapKey(key)),
    })
    const owner = ownerOf(key)
    const isLast = owner !== undefined && !(await hasActiveKeyOf(query, owner, nowUs))
    return { id: key.public_id, ended: isLast ? owner : undefined }
  })
  if (ended) await unlinked.deleteAllOf(ended)
  return { id }
}

function ownerOf({
  station_id: stationId,
  procedure_id: procedureId,
}: Pick<ApiKeysTable, 'station_id' | 'procedure_id'>): KeyOwner | undefined {
  if (stationId !== null) return { column: 'station_id', id: stationId }
  return procedureId === null ? undefined : { column: 'procedure_id', id: procedureId }
}

type KeyColumns = Pick<
  ApiKeysTable,
  'public_id' | 'kind' | 'role' | 'name' | 'hint' | 'created_at_us' | 'expires_at_us'
> &
  StationColumns &
  KeyProcedureColumns

function mapKey(row: KeyColumns): Omit<IssuedKey, 'key'> {
  return {
    id: row.public_id,
    kind: row.kind,
    role: row.role,
    name: row.name,
    hint: row.hint,
    created_at: formatTimestampUs(row.created_at_us),
    expires_at: formatOptionalTimestamp(row.expires_at_us),
    station: mapStation(row),
    procedure: mapKeyProcedure(row),
  }
}

function formatOptionalTimestamp(epochUs: number | null): string | null {
  return epochUs === null ? null : formatTimestampUs(epochUs)
}

function keyNotFound(id: string): HttpError {
  return notFound(`key with the id "${id}"`, 'It may be revoked.')
}
