import { mapStation } from '../stations/map-station'
import { mapPerson, type PersonColumns } from '../users/map-person'

/** Columns of the user and the station that a record was created by, each from a left join. */
export interface CreatedByColumns extends PersonColumns {
  station_public_id: string | null
  station_name: string | null
}

/** Who created a record: a user or a station, the other is null. */
export function mapCreatedBy(row: CreatedByColumns) {
  return { created_by_user: mapPerson(row), created_by_station: mapStation(row) }
}
