import type { Person, StationReference } from '@runledger/protocol'
import type { StationsTable } from '../database/schema/units'

interface PersonColumns {
  user_public_id: string | null
  user_name: string | null
  user_email: string | null
}

/** The user that a record names, from the columns of a left join. */
export function mapPerson(row: PersonColumns): Person | null {
  if (row.user_public_id === null) return null
  return { id: row.user_public_id, name: row.user_name, email: row.user_email, image: null }
}

/** What a store selects of the tables `users` and `stations` that a record's creator is joined from. */
export const CREATED_BY_COLUMNS = [
  'users.public_id as user_public_id',
  'users.name as user_name',
  'users.email as user_email',
  'stations.public_id as station_public_id',
  'stations.name as station_name',
] as const

/** Columns of the user and the station that a record was created by, each from a left join. */
interface CreatedByColumns extends PersonColumns {
  station_public_id: string | null
  station_name: string | null
}

/** Who created a record: a user or a station, the other is null. */
export function mapCreatedBy(row: CreatedByColumns) {
  return { created_by_user: mapPerson(row), created_by_station: mapStation(row) }
}

interface StationColumns {
  station_public_id: string | null
  station_name: string | null
}

/** The station that a record names, from the columns of a left join. */
export function mapStation({
  station_public_id: id,
  station_name: name,
}: StationColumns): StationReference | null {
  return id === null || name === null ? null : { id, name, identifier: null, image: null }
}

/** The fields that a station has in a list and by itself. */
export function mapStationHead({ public_id: id, name, identifier }: StationsTable) {
  return {
    id,
    name,
    identifier: identifier ?? name.replaceAll(/\s+/g, '-'),
    image: null,
    team: null,
    connection_status: null,
  }
}
