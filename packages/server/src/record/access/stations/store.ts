import { foldIdentifier, type ListStationsQuery } from '@runledger/protocol'
import { type RawBuilder, sql } from 'kysely'
import { isLike, likeContaining } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { isFirstOfEach, MOST_SHOWN } from '../../../storage/database/rows'
import type { StationsTable } from '../../../storage/database/schema/units'

export async function insertStation(query: Query, station: StationsTable): Promise<void> {
  await query.insertInto('stations').values(station).execute()
}

export async function findStation(query: Query, publicId: string): Promise<StationsTable | undefined> {
  return query
    .selectFrom('stations')
    .selectAll()
    .where('public_id', '=', publicId.toLowerCase())
    .where('deleted_at_us', 'is', null)
    .executeTakeFirst()
}

export async function findStationByKey(query: Query, id: number): Promise<StationsTable | undefined> {
  return query.selectFrom('stations').selectAll().where('id', '=', id).executeTakeFirst()
}

export async function updateStationRow(
  query: Query,
  id: number,
  change: Partial<Pick<StationsTable, 'name' | 'name_folded' | 'image_id' | 'deleted_at_us'>>,
): Promise<void> {
  await query.updateTable('stations').set(change).where('id', '=', id).execute()
}

/** Newest first, with the number of linked procedures; one more than `limit` if there are more. */
export async function listStations(query: Query, list: ListStationsQuery) {
  let select = query
    .selectFrom('stations')
    .selectAll()
    .select(({ selectFrom }) =>
      selectFrom('station_procedures')
        .innerJoin('live_procedures as procedures', 'procedures.id', 'station_procedures.procedure_id')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .whereRef('station_procedures.station_id', '=', 'stations.id')
        .as('procedures_count'),
    )
    .where('deleted_at_us', 'is', null)
  if (list.cursor !== undefined) select = select.where('id', '<', list.cursor)
  if (list.search_query) {
    const pattern = likeContaining(foldIdentifier(list.search_query))
    select = select.where((where) => isLike(where.ref('name_folded'), pattern))
  }
  const procedures = (list.procedure_ids ?? []).map(foldIdentifier).filter((text) => text !== '')
  if (procedures.length > 0) select = select.where('id', 'in', selectLinked(query, procedures))
  return select
    .orderBy('id', 'desc')
    .limit(list.limit + 1)
    .execute()
}

function selectLinked(query: Query, procedures: readonly string[]) {
  return query
    .selectFrom('station_procedures')
    .innerJoin('procedures', 'procedures.id', 'station_procedures.procedure_id')
    .select('station_procedures.station_id')
    .where((where) =>
      where.or([
        where('procedures.public_id', 'in', procedures),
        where('procedures.identifier_folded', 'in', procedures),
      ]),
    )
}

export async function isLinked(query: Query, stationId: number, procedureId: number): Promise<boolean> {
  const link = await query
    .selectFrom('station_procedures')
    .select('station_id')
    .where('station_id', '=', stationId)
    .where('procedure_id', '=', procedureId)
    .executeTakeFirst()
  return link !== undefined
}

export async function hasLink(query: Query, stationId: number): Promise<boolean> {
  const link = await query
    .selectFrom('station_procedures')
    .innerJoin('live_procedures as procedures', 'procedures.id', 'station_procedures.procedure_id')
    .select('station_id')
    .where('station_id', '=', stationId)
    .limit(1)
    .executeTakeFirst()
  return link !== undefined
}

export async function linkProcedure(query: Query, stationId: number, procedureId: number): Promise<void> {
  await query
    .insertInto('station_procedures')
    .values({ station_id: stationId, procedure_id: procedureId })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function unlinkProcedure(query: Query, stationId: number, procedureId: number): Promise<void> {
  await query
    .deleteFrom('station_procedures')
    .where('station_id', '=', stationId)
    .where('procedure_id', '=', procedureId)
    .execute()
}

export async function unlinkAllProcedures(query: Query, stationId: number): Promise<void> {
  await query.deleteFrom('station_procedures').where('station_id', '=', stationId).execute()
}

/** By name, at most `limit` of each station. */
export async function listLinkedProcedures(query: Query, stationIds: readonly number[], limit: number) {
  const { rowOf } = query.engine
  const selectFirst = (
    stationId: RawBuilder<number>,
  ) => sql`SELECT ${rowOf('links')} AS key FROM station_procedures AS links
    JOIN live_procedures AS procedures ON procedures.id = links.procedure_id
    WHERE links.station_id = ${stationId} ORDER BY procedures.name_folded, procedures.id LIMIT ${limit}`
  return query
    .selectFrom('station_procedures')
    .innerJoin('procedures', 'procedures.id', 'station_procedures.procedure_id')
    .select(['station_procedures.station_id', 'procedures.id', 'procedures.public_id', 'procedures.name'])
    .select('procedures.identifier')
    .where(isFirstOfEach(query, { key: rowOf('station_procedures'), ownerKeys: stationIds, selectFirst }))
    .orderBy('procedures.name_folded')
    .orderBy('procedures.id')
    .execute()
}

export async function listLinkedStations(query: Query, procedureId: number) {
  return query
    .selectFrom('station_procedures')
    .innerJoin('stations', 'stations.id', 'station_procedures.station_id')
    .select(['stations.public_id as station_public_id', 'stations.name as station_name'])
    .select('stations.identifier as station_identifier')
    .where('station_procedures.procedure_id', '=', procedureId)
    .where('stations.deleted_at_us', 'is', null)
    .orderBy('stations.name_folded')
    .orderBy('stations.id')
    .limit(MOST_SHOWN)
    .execute()
}

/** By the procedure's key; procedures without runs are left out. */
export async function countRunsOfStation(query: Query, stationId: number): Promise<Map<number, number>> {
  const counts = await query
    .selectFrom('live_runs as runs')
    .select((select) => ['procedure_id', select.fn.countAll<number>().as('runs')])
    .where('created_by_station_id', '=', stationId)
    .groupBy('procedure_id')
    .execute()
  return new Map(counts.map(({ procedure_id, runs }) => [procedure_id, runs]))
}
