import { foldIdentifier, type ListRunsQuery, type runFilterFields } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, durationUs, isBetween, isOneOf, timeUs } from '../database/conditions'
import { isLike, likeContaining } from '../database/like'
import { createMetadataFilters, type MetadataOwner } from '../metadata/metadata-filter-store'
import { isOneOfProcedures } from '../procedures/procedure-filter-store'
import { createUnitReferenceFilters } from '../units/unit-filter-store'
import { digestMetadata } from './metadata-digest'

// Report variables that the search looks into: where a run came from, as a person remembers it.
const SEARCHED_VARIABLES = ['file', 'project', 'framework', 'git_branch', 'git_commit', 'group']

const RUN_METADATA: MetadataOwner = {
  table: 'run_metadata',
  ownerColumn: 'run_id',
  ownerKey: 'runs.id',
  digest: digestMetadata,
}

/** Conditions on the tables of `selectRunHeads`, one for each filter that is set. */
export function createRunFilters(list: ListRunsQuery): Expression<SqlBool>[] {
  return [
    ...createSharedRunFilters(list),
    ...isOneOf('runs.public_id', list.ids?.map(foldIdentifier)),
    ...isOneOf('runs.outcome', list.outcomes),
    ...isOneOf('units.sample', list.samples),
    ...isOneOf('operators.public_id', list.operated_by_ids?.map(foldIdentifier)),
    ...isOneOfProcedures(list.procedure_ids),
    ...isBetween('runs.duration_us', durationUs(list.duration_min), durationUs(list.duration_max)),
    ...isBetween('runs.started_at_us', timeUs(list.started_after), timeUs(list.started_before)),
    ...isBetween('runs.ended_at_us', timeUs(list.ended_after), timeUs(list.ended_before)),
    ...isBetween('runs.created_at_us', timeUs(list.created_after), timeUs(list.created_before)),
    ...(list.search_query ? [searchFilter(list.search_query)] : []),
    ...createMetadataFilters(RUN_METADATA, list.metadata),
  ]
}

type SharedRunFilter = Omit<Pick<ListRunsQuery, keyof typeof runFilterFields>, 'samples'>

/** Filters that the lists of runs, phases, measurements and logs share. */
export function createSharedRunFilters(list: SharedRunFilter): Expression<SqlBool>[] {
  return [
    ...isOneOf('procedure_versions.tag_folded', list.procedure_versions?.map(foldIdentifier)),
    ...isOneOf('runs.deployment_id', list.deployment_ids),
    // Environments are those of deployments, of which this service knows no more than the id.
    ...(list.environments?.length ? [sql<SqlBool>`1 = 0`] : []),
    ...createUnitReferenceFilters(list),
  ]
}

function searchFilter(text: string): Expression<SqlBool> {
  const pattern = likeContaining(foldIdentifier(text))
  const columns = ['units.serial_number_folded', 'parts.number_folded', 'procedures.name_folded']
  return anyOf([
    ...[...columns, 'procedures.identifier_folded'].map((column) => isLike(sql.ref(column), pattern)),
    sql<SqlBool>`${sql.ref('runs.public_id')} = ${foldIdentifier(text)}`,
    sql<SqlBool>`EXISTS (SELECT 1 FROM run_metadata WHERE run_metadata.run_id = runs.id
      AND run_metadata.name IN (${sql.join(SEARCHED_VARIABLES)})
      AND ${anyOf([
        isLike(sql`lower(run_metadata.text_value)`, pattern),
        // SQLite folds the case of ASCII alone.
        isLike(sql.ref('run_metadata.text_value'), likeContaining(text.trim())),
      ])})`,
  ])
}
