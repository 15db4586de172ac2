import { foldIdentifier, type ListUnitsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { allOf, anyOf, containsTyped, isAtLeast, isAtMost, isOneOf, timeUs } from '../database/conditions'
import { isLike, likeContaining } from '../database/like'
import { createMetadataFilters, type MetadataOwner } from '../metadata/metadata-filter-store'
import { isOneOfProcedures } from '../procedures/procedure-filter-store'

const UNIT_METADATA: MetadataOwner = {
  table: 'unit_metadata',
  ownerColumn: 'unit_id',
  ownerKey: 'units.id',
}

/** Conditions on the tables of `selectUnitHeads`, one for each filter that is set. */
export function createUnitFilters(list: ListUnitsQuery): Expression<SqlBool>[] {
  return [
    ...listFilters(list),
    ...isAtLeast('units.created_at_us', timeUs(list.created_after)),
    ...isAtMost('units.created_at_us', timeUs(list.created_before)),
    ...(list.exclude_units_with_parent ? [sql<SqlBool>`units.parent_unit_id IS NULL`] : []),
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

/** Filters that the lists of units and of what was done to units share: the unit's numbers, and who created the record. */
export function createUnitReferenceFilters(list: UnitReferenceFilter): Expression<SqlBool>[] {
  return [
    ...isOneOf('units.serial_number_folded', list.serial_numbers?.map(foldIdentifier)),
    ...isOneOf('parts.number_folded', list.part_numbers?.map(foldIdentifier)),
    ...isOneOf('revisions.number_folded', list.revision_numbers?.map(foldIdentifier)),
    ...isOneOf('batches.number_folded', list.batch_numbers?.map(foldIdentifier)),
    ...isOneOf('users.public_id', list.created_by_user_ids?.map(foldIdentifier)),
    ...isOneOf('stations.public_id', list.created_by_station_ids?.map(foldIdentifier)),
  ]
}

// All of it is true of one run: of the last one alone when that is asked for.
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
    sql<SqlBool>`EXISTS (SELECT 1 FROM runs JOIN procedures ON procedures.id = runs.procedure_id
      WHERE runs.unit_id = units.id AND ${allOf(conditions)})`,
  ]
}

function runCountFilters({ run_count_min: least, run_count_max: most }: ListUnitsQuery) {
  const count = sql`(SELECT count(*) FROM runs WHERE runs.unit_id = units.id)`
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
