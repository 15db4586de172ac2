import { type CreateKeyRequest, type IssuedKey, parseTimestampUs } from '@runledger/protocol'
import type { Context } from '../context'
import type { Query } from '../database/database'
import { failedValidation } from '../errors'
import { findKnownStation } from '../stations/find-known-station'
import { issueKey } from './issue-key'
import { mapKey } from './map-key'
import type { UserPrincipal } from './principal'

/** `POST /v2/keys`. @throws HttpError NOT_FOUND for an unknown station, BAD_REQUEST for what makes no key */
export async function createKey(
  context: Context,
  { userId }: UserPrincipal,
  request: CreateKeyRequest,
): Promise<IssuedKey> {
  const expiresAtUs = parseExpiry(request.expires_at, context.clock())
  return context.database.write(async (transaction) => {
    const station = await findStationOf(transaction.query, request)
    const { key, secret } = await issueKey(context, transaction, {
      name: request.name,
      userId,
      stationId: station?.id,
      expiresAtUs,
    })
    const names = { station_public_id: station?.public_id ?? null, station_name: station?.name ?? null }
    return { ...mapKey({ ...key, ...names }), key: secret }
  })
}

async function findStationOf(query: Query, { kind, station_id: stationId }: CreateKeyRequest) {
  if (kind === 'station' && stationId === undefined) {
    throw failedValidation([
      { path: ['station_id'], message: 'is required for a station key: send the id of a station' },
    ])
  }
  if (kind === 'user' && stationId !== undefined) {
    throw failedValidation([
      { path: ['station_id'], message: `must be left out of a user key; received "${stationId}"` },
    ])
  }
  return stationId === undefined ? undefined : findKnownStation(query, stationId)
}

function parseExpiry(expiresAt: string | undefined, nowUs: number): number | undefined {
  if (expiresAt === undefined) return undefined
  const expiresAtUs = parseTimestampUs(expiresAt) ?? 0
  if (expiresAtUs > nowUs) return expiresAtUs
  throw failedValidation([
    { path: ['expires_at'], message: `must be in the future; received "${expiresAt}"` },
  ])
}
