import type { StationReference } from '@runledger/protocol'
import type { StationsTable } from '../database/schema/units'

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
