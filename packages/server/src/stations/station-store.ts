import { foldIdentifier, type ListStationsQuery } from '@runledger/protocol'
import type { Query } from '../database/database'
import { isLike, likeContaining } from '../database/like'
import type { StationsTable } from '../database/schema/units'

export async function insertStation(query: Query, station: StationsTable): Promise<void> {
  await query.insertInto('stations').values(station).execute()
}

/** A station that is not deleted, by its public id. */
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

export async function updateStation(
  query: Query,
  id: number,
  change: Partial<Pick<StationsTable, 'name' | 'name_folded' | 'image_id' | 'deleted_at_us'>>,
): Promise<void> {
  await query.updateTable('stations').set(change).where('id', '=', id).execute()
}

/** A page of stations, newest first, and one more than `limit` when there are more. */
export async function listStations(query: Query, list: ListStationsQuery): Promise<StationsTable[]> {
  let select = query.selectFrom('stations').selectAll().where('deleted_at_us', 'is', null)
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
