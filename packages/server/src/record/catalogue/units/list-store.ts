import { foldIdentifier, type ListUnitsQuery } from '@runledger/protocol'
import { type Expression, type NotNull, sql, type SqlBool } from 'kysely'
import {
  allOf,
  anyOf,
  containsTyped,
  isAtLeast,
  isAtMost,
  isLike,
  isOneOf,
  likeContaining,
  timeUs,
} from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { selectPage, type SortValues } from '../../../storage/database/sorted-page'
import { createMetadataFilters, type MetadataOwner } from '../metadata/store'
import { isOneOfProcedures } from '../procedures/store'
import { CREATED_BY_COLUMNS } from '../../access/users/store'

// Keys rise with the time of creation. A unit without a run comes first; the value for that is comparable.
const SORT_VALUES: SortValues<ListUnitsQuery['sort_by']> = {
  created_at: 'units.id',
  serial_number: 'units.serial_number_folded',
  part_number: 'parts.number_folded',
  last_run_at: sql`coalesce(last_run.started_at_us, ${sql.lit(Number.MIN_SAFE_INTEGER)})`,
  last_run_procedure: sql`coalesce(last_procedure.name_folded, '')`,
}

export async function listUnits(query: Query, list: ListUnitsQuery): Promise<UnitHeadRow[]> {
  return selectPage(query, selectUnitHeads(query), {
    table: 'units',
    sortValues: SORT_VALUES,
    // Always true. It makes SQLite, once it has statistics, follow the index of the parts that it sorts by.
    filters: [
      ...createUnitFilters(list),
      ...(list.sort_by === 'part_number' ? [sql<SqlBool>`parts.number_folded IS NOT NULL`] : []),
    ],
    list,
    // Each row has its unit's last run, which need not be found for units that are sorted and not shown.
    areKeysFirst: true,
  })
}

/**
 * Every unit has a revision and a part. They are left-joined to be looked up for each unit of the page: with inner joins, SQLite
 * with statistics begins with the parts, reads all units of each and sorts them.
 */
export function selectUnitHeads(query: Query) {
  return query
    .selectFrom('live_units as units')
    .leftJoin('revisions', 'revisions.id', 'units.revision_id')
    .leftJoin('parts', 'parts.id', 'revisions.part_id')
    .leftJoin('users', 'users.id', 'units.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'units.created_by_station_id')
    .leftJoin('live_batches as batches', 'batches.id', 'units.batch_id')
    .leftJoin('live_units as parents', 'parents.id', 'units.parent_unit_id')
    .leftJoin('runs as last_run', (join) =>
      join.on(({ eb, selectFrom }) =>
        eb(
          'last_run.id',
          '=',
          selectFrom('live_runs as runs')
            .select('runs.id')
            .whereRef('runs.unit_id', '=', 'units.id')
            .orderBy('runs.started_at_us', 'desc')
            .orderBy('runs.id', 'desc')
            .limit(1),
        ),
      ),
    )
    .leftJoin('procedures as last_procedure', 'last_procedure.id', 'last_run.procedure_id')
    .select(['units.id', 'units.public_id', 'units.serial_number', 'units.created_at_us', 'units.sample'])
    .select(['units.parent_unit_id', 'units.created_by_run_id', 'units.image_id'])
    .select(['parts.public_id as part_public_id', 'parts.number as part_number', 'parts.name as part_name'])
    .select(['revisions.public_id as revision_public_id', 'revisions.number as revision_number'])
    .select(CREATED_BY_COLUMNS)
    .select(['batches.public_id as batch_public_id', 'batches.number as batch_number'])
    .select(['parents.public_id as parent_public_id', 'parents.serial_number as parent_serial_number'])
    .select(['last_run.public_id as last_run_public_id', 'last_run.outcome as last_run_outcome'])
    .select([
      'last_run.started_at_us as last_run_started_at_us',
      'last_run.ended_at_us as last_run_ended_at_us',
    ])
    .select(['last_procedure.public_id as last_procedure_public_id'])
    .select(['last_procedure.name as last_procedure_name'])
    .select(['last_procedure.identifier as last_procedure_identifier'])
    .$narrowType<UnitNumbers>()
}

type UnitNumbers = Record<
  'part_public_id' | 'part_number' | 'part_name' | 'revision_public_id' | 'revision_number',
  NotNull
>

export type UnitHeadRow = Awaited<ReturnType<ReturnType<typeof selectUnitHeads>['execute']>>[number]

const UNIT_METADATA: MetadataOwner = {
  tables: sql.table('unit_metadata'),
  ownerColumn: 'unit_id',
  ownerKey: 'units.id',
}

function createUnitFilters(list: ListUnitsQuery): Expression<SqlBool>[] {
  return [
    ...listFilters(list),
    ...isAtLeast('units.created_at_us', timeUs(list.created_after)),
    ...isAtMost('units.created_at_us', timeUs(list.created_before)),
    ...(list.exclude_units_with_parent ? [sql<SqlBool>`parents.id IS NULL`] : []),
    ...runFilters(list),
    ...runCountFilters(list),
    ...(list.search_query ? [searchFilter(list.search_query)] : []),
    ...createMetadataFilters(UNIT_METADATA, list.metadata),
  ]
}

function listFilters(list: ListUnitsQuery): Expression<SqlBool>[] {
  return [
    ...isOneOf('units.public_id', list.ids?.map(foldIdentifier)),
    ...createUnitReferenceFilters(list),
    ...isOneOf('units.sample', list.samples),
  ]
}

type UnitReferenceFilter = Pick<
  ListUnitsQuery,
  | 'serial_numbers'
  | 'part_numbers'
  | 'revision_numbers'
  | 'batch_numbers'
  | 'created_by_user_ids'
  | 'created_by_station_ids'
>

function createUnitReferenceFilters(list: UnitReferenceFilter): Expression<SqlBool>[] {
  return [
    ...isOneOf('units.serial_number_folded', list.serial_numbers?.map(foldIdentifier)),
    ...isOneOf('parts.number_folded', list.part_numbers?.map(foldIdentifier)),
    ...isOneOf('revisions.number_folded', list.revision_numbers?.map(foldIdentifier)),
    ...isOneOf('batches.number_folded', list.batch_numbers?.map(foldIdentifier)),
    ...isOneOf('users.public_id', list.created_by_user_ids?.map(foldIdentifier)),
    ...isOneOf('stations.public_id', list.created_by_station_ids?.map(foldIdentifier)),
  ]
}

// All conditions hold for the same run; for the last one only, if asked.
function runFilters(list: ListUnitsQuery): Expression<SqlBool>[] {
  const [run, procedure] = list.latest_only ? ['last_run', 'last_procedure'] : ['runs', 'procedures']
  const conditions = [
    ...isOneOf(`${run}.outcome`, list.outcomes),
    ...isAtLeast(`${run}.started_at_us`, timeUs(list.started_after)),
    ...isAtMost(`${run}.started_at_us`, timeUs(list.started_before)),
    ...isOneOfProcedures(list.procedure_ids, procedure),
  ]
  if (conditions.length === 0 || list.latest_only) return conditions
  return [
    sql<SqlBool>`EXISTS (SELECT 1 FROM live_runs AS runs JOIN procedures ON procedures.id = runs.procedure_id
      WHERE runs.unit_id = units.id AND ${allOf(conditions)})`,
  ]
}

function runCountFilters({ run_count_min: least, run_count_max: most }: ListUnitsQuery) {
  const count = sql`(SELECT count(*) FROM live_runs AS runs WHERE runs.unit_id = units.id)`
  return [
    ...(least === undefined ? [] : [sql<SqlBool>`${count} >= ${least}`]),
    ...(most === undefined ? [] : [sql<SqlBool>`${count} <= ${most}`]),
  ]
}

function searchFilter(text: string): Expression<SqlBool> {
  const pattern = likeContaining(foldIdentifier(text))
  const columns = ['units.serial_number_folded', 'parts.number_folded', 'batches.number_folded']
  return anyOf([
    ...columns.map((column) => isLike(sql.ref(column), pattern)),
    containsTyped('parts.name', text),
    sql<SqlBool>`units.public_id = ${foldIdentifier(text)}`,
  ])
}
