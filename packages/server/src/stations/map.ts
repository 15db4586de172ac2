import type { StationReference } from '@runledger/protocol'

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
