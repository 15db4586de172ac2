import type { ListStationsQuery, Page, StationListItem } from '@runledger/protocol'
import type { Context } from '../context'
import { pageFrom } from '../database/page'
import { listLinkedProcedures } from './station-procedure-store'
import { listStations } from './station-store'

/** `GET /v2/stations`. */
export async function listStationPage(
  { database }: Context,
  query: ListStationsQuery,
): Promise<Page<StationListItem>> {
  const rows = await listStations(database.query, query)
  const linked = await listLinkedProcedures(
    database.query,
    rows.map(({ id }) => id),
  )
  return pageFrom(rows, query.limit, (station) => {
    const procedures = linked
      .filter(({ station_id }) => station_id === station.id)
      .map(({ public_id: id, name }) => ({ id, name }))
    return {
      id: station.public_id,
      name: station.name,
      identifier: null,
      image: null,
      team: null,
      procedures,
      procedures_count: procedures.length,
    }
  })
}
