import { formatTimestampUs, type StationDetail } from '@runledger/protocol'
import type { Context } from '../context'
import type { StationsTable } from '../database/schema/units'
import { HttpError } from '../errors'
import type { StationPrincipal } from '../keys/principal'
import { readCommittedSettings } from '../settings/settings-store'
import { findKnownStation } from './find-known-station'
import { countRunsOfStation, listLinkedProcedures } from './station-procedure-store'
import { findStationByKey } from './station-store'

/** `GET /v2/stations/{id}`. @throws HttpError NOT_FOUND */
export async function getStation(context: Context, publicId: string): Promise<StationDetail> {
  return describeStation(context, await findKnownStation(context.database.query, publicId))
}

/** `GET /v2/stations/current`. */
export async function getCurrentStation(
  context: Context,
  { stationId }: StationPrincipal,
): Promise<StationDetail> {
  const station = await findStationByKey(context.database.query, stationId)
  // Its keys are revoked when a station is deleted: this one was deleted since the request was let in.
  if (!station || station.deleted_at_us !== null)
    throw new HttpError('NOT_FOUND', 'The station of this key was deleted.')
  return describeStation(context, station)
}

async function describeStation({ database }: Context, station: StationsTable): Promise<StationDetail> {
  const { query } = database
  const procedures = await listLinkedProcedures(query, [station.id])
  const runs = await countRunsOfStation(query, station.id)
  const settings = await readCommittedSettings(query)
  return {
    id: station.public_id,
    name: station.name,
    identifier: null,
    image: null,
    image_id: station.image_id,
    team: null,
    created_at: formatTimestampUs(station.created_at_us),
    api_key: null,
    procedures: procedures.map(({ id, public_id, name }) => ({
      id: public_id,
      name,
      runs_count: runs.get(id) ?? 0,
      deployment: null,
    })),
    organization_slug: settings['organization.slug'],
  }
}
