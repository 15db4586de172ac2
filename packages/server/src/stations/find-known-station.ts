import type { Query } from '../database/database'
import type { StationsTable } from '../database/schema/units'
import { HttpError } from '../errors'
import { findStation } from './station-store'

/** The station with this public id. @throws HttpError NOT_FOUND, also for a deleted one */
export async function findKnownStation(query: Query, publicId: string): Promise<StationsTable> {
  const station = await findStation(query, publicId)
  if (station) return station
  throw new HttpError('NOT_FOUND', `No station was found with the id "${publicId}".`)
}
