import {
  type CreateStationRequest,
  foldIdentifier,
  formatTimestampUs,
  type ListStationsQuery,
  type Page,
  type StationDetail,
  type StationListItem,
  type StationResponse,
  type UpdateStationRequest,
} from '@runledger/protocol'
import { randomUUID } from 'node:crypto'
import { findImage } from '../../record/files/attachments/bytes'
import type { Context } from '../call/context'
import type { Query } from '../../storage/database/database'
import { MOST_SHOWN, MOST_SHOWN_IN_LISTS } from '../../storage/database/rows'
import type { StationsTable } from '../../storage/database/schema/units'
import { pageFrom } from '../../storage/database/sorted-page'
import { HttpError, notFound } from '../../base/errors'
import type { Handlers } from '../call/handler'
import type { Principal, StationPrincipal, UserPrincipal } from '../../record/access/keys/principal'
import { revokeStationKeys } from '../../record/access/keys/store'
import { findKnownProcedure } from '../../record/catalogue/procedures/resolve-procedure'
import { readCommittedSettings } from '../../record/access/settings/store'
import { mapStationHead, stationIdentifier } from '../../record/access/users/store'
import {
  countRunsOfStation,
  findStation,
  findStationByKey,
  insertStation,
  isLinked,
  linkProcedure,
  listLinkedProcedures,
  listStations,
  unlinkAllProcedures,
  unlinkProcedure,
  updateStationRow,
} from '../../record/access/stations/store'

export const STATION_HANDLERS: Handlers<
  | 'listStations'
  | 'createStation'
  | 'getCurrentStation'
  | 'getStation'
  | 'updateStation'
  | 'deleteStation'
  | 'linkStationProcedure'
  | 'unlinkStationProcedure'
> = {
  listStations: ({ context, query }) => listStationPage(context, query),
  createStation: ({ context, principal, body }) => createStation(context, principal, body),
  getCurrentStation: ({ context, principal }) => getCurrentStation(context, principal),
  getStation: ({ context, principal, params }) => getStation(context, principal, params.id),
  updateStation: ({ context, params, body }) => updateStation(context, params.id, body),
  deleteStation: ({ context, params }) => deleteStation(context, params.id),
  linkStationProcedure: ({ context, params }) => linkStationProcedure(context, params),
  unlinkStationProcedure: ({ context, params }) => unlinkStationProcedure(context, params),
}

async function listStationPage(
  { database }: Context,
  query: ListStationsQuery,
): Promise<Page<StationListItem>> {
  const rows = await listStations(database.query, query)
  const linked = await listLinkedProcedures(
    database.query,
    rows.map(({ id }) => id),
    MOST_SHOWN_IN_LISTS,
  )
  return pageFrom(rows, query.limit, (station) => {
    const procedures = linked
      .filter(({ station_id }) => station_id === station.id)
      .map(({ public_id: id, identifier, name }) => ({ id, identifier, name }))
    return { ...mapStationHead(station), procedures, procedures_count: Number(station.procedures_count) }
  })
}

/** `POST /v2/keys` issues its key. @throws HttpError NOT_FOUND for the procedure */
export async function createStation(
  { database, nextKey, clock, recordChange }: Context,
  { userId }: UserPrincipal,
  { name, identifier, procedure_id: procedureId }: CreateStationRequest,
): Promise<StationResponse> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const procedure = procedureId === undefined ? undefined : await findKnownProcedure(query, procedureId)
    const station = {
      id: nextKey(),
      public_id: randomUUID(),
      name,
      name_folded: foldIdentifier(name),
      identifier: identifier ?? null,
      image_id: null,
      created_at_us: clock(),
      created_by_user_id: userId,
      deleted_at_us: null,
    }
    await insertStation(query, station)
    if (procedure) await linkProcedure(query, station.id, procedure.id)
    await recordChange(transaction, {
      ...describeChanged(station),
      after: { name, identifier: stationIdentifier(station), procedure: procedure?.name },
    })
    return mapStationResponse(station)
  })
}

function describeChanged({ public_id: id, name }: StationsTable) {
  return { kind: 'station', id, name } as const
}

function mapStationResponse(station: StationsTable): StationResponse {
  return { id: station.public_id, name: station.name, identifier: stationIdentifier(station) }
}

/** @throws HttpError NOT_FOUND, FORBIDDEN for a station that asks for another */
async function getStation(context: Context, principal: Principal, publicId: string): Promise<StationDetail> {
  const station = await findKnownStation(context.database.query, publicId)
  if (principal.kind === 'station' && principal.stationId !== station.id)
    throw new HttpError('FORBIDDEN', 'A station key may read its own station only. Use a user key.')
  return describeStation(context, station)
}

async function getCurrentStation(context: Context, { stationId }: StationPrincipal): Promise<StationDetail> {
  const station = await findStationByKey(context.database.query, stationId)
  // The station, and its keys with it, was deleted after its request was authorized.
  if (!station || station.deleted_at_us !== null) throw notFound('station of this key', 'It was deleted.')
  return describeStation(context, station)
}

async function describeStation({ database }: Context, station: StationsTable): Promise<StationDetail> {
  const { query } = database
  const procedures = await listLinkedProcedures(query, [station.id], MOST_SHOWN)
  const runs = await countRunsOfStation(query, station.id)
  const settings = await readCommittedSettings(query)
  return {
    ...mapStationHead(station),
    image_id: station.image_id,
    created_at: formatTimestampUs(station.created_at_us),
    api_key: null,
    procedures: procedures.map(({ id, public_id, identifier, name }) => ({
      id: public_id,
      identifier,
      name,
      runs_count: runs.get(id) ?? 0,
      deployment: null,
    })),
    organization_slug: settings['organization.slug'],
  }
}

/** @throws HttpError NOT_FOUND for the station, its new image or a team: there are none */
export async function updateStation(
  { database, recordChange }: Context,
  publicId: string,
  { name, image_id: imageId, team_id: teamId }: UpdateStationRequest,
): Promise<StationResponse> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const station = await findKnownStation(query, publicId)
    if (teamId !== undefined) throw notFound(`team with the id "${teamId}"`)
    const change = {
      ...(name === undefined ? {} : { name, name_folded: foldIdentifier(name) }),
      ...(imageId === undefined ? {} : { image_id: await findImage(query, imageId) }),
    }
    if (Object.keys(change).length > 0) await updateStationRow(query, station.id, change)
    const changed = { ...station, ...change }
    await recordChange(transaction, {
      ...describeChanged(station),
      before: { name: station.name, image_id: station.image_id },
      after: { name: changed.name, image_id: changed.image_id },
    })
    return mapStationResponse(changed)
  })
}

/** Revokes keys, and deletes links and unlinked uploads; the record stays for its runs. @throws HttpError NOT_FOUND */
export async function deleteStation(
  { database, clock, unlinked, recordChange }: Context,
  publicId: string,
): Promise<{ id: string }> {
  const { key, id } = await database.write(async (transaction) => {
    const { query } = transaction
    const station = await findKnownStation(query, publicId)
    const nowUs = clock()
    await updateStationRow(query, station.id, { deleted_at_us: nowUs })
    const keys = await revokeStationKeys(query, station.id, nowUs)
    await unlinkAllProcedures(query, station.id)
    await recordChange(transaction, {
      ...describeChanged(station),
      before: { name: station.name, identifier: stationIdentifier(station), revoked_keys: keys },
    })
    return { key: station.id, id: station.public_id }
  })
  await unlinked.deleteAllOf({ column: 'station_id', id: key })
  return { id }
}

interface LinkEnds {
  id: string
  procedure_id: string
}

/** Repeating changes nothing. @throws HttpError NOT_FOUND */
function linkStationProcedure(context: Context, ends: LinkEnds): Promise<{ id: string }> {
  return changeLink(context, ends, { isLinked: true })
}

/** Repeating changes nothing. @throws HttpError NOT_FOUND */
function unlinkStationProcedure(context: Context, ends: LinkEnds): Promise<{ id: string }> {
  return changeLink(context, ends, { isLinked: false })
}

async function changeLink(
  { database, recordChange }: Context,
  { id, procedure_id: procedureId }: LinkEnds,
  { isLinked: isWanted }: { isLinked: boolean },
): Promise<{ id: string }> {
  return database.write(async (transaction) => {
    const { query } = transaction
    const station = await findKnownStation(query, id)
    const procedure = await findKnownProcedure(query, procedureId)
    const wasLinked = await isLinked(query, station.id, procedure.id)
    await (isWanted ? linkProcedure : unlinkProcedure)(query, station.id, procedure.id)
    await recordChange(transaction, {
      ...describeChanged(station),
      before: wasLinked ? { linked_procedure: procedure.name } : {},
      after: isWanted ? { linked_procedure: procedure.name } : {},
    })
    return { id: station.public_id }
  })
}

/** @throws HttpError NOT_FOUND, also for a deleted one */
export async function findKnownStation(query: Query, publicId: string): Promise<StationsTable> {
  const station = await findStation(query, publicId)
  if (station) return station
  throw notFound(`station with the id "${publicId}"`)
}
