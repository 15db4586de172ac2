import type { Query } from '../database/database'

/** Tells whether the procedure is linked to the station. */
export async function isLinked(query: Query, stationId: number, procedureId: number): Promise<boolean> {
  const link = await query
    .selectFrom('station_procedures')
    .select('station_id')
    .where('station_id', '=', stationId)
    .where('procedure_id', '=', procedureId)
    .executeTakeFirst()
  return link !== undefined
}
