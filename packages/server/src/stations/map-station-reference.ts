interface StationColumns {
  station_public_id: string | null
  station_name: string | null
}

/** The station that a record names, from the columns of a left join. */
export function mapStationReference(row: StationColumns): { id: string; name: string } | null {
  if (row.station_public_id === null) return null
  return { id: row.station_public_id, name: row.station_name ?? '' }
}
