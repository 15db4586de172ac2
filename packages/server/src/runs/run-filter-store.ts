import { foldIdentifier, type ListRunsQuery, parseDurationUs } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, isAtLeast, isAtMost, isOneOf, timeUs } from '../database/conditions'
import { isLike, likeContaining } from '../database/like'
import { createMetadataFilters, type MetadataOwner } from '../metadata/metadata-filter-store'
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
    ...listFilters(list),
    ...rangeFilters(list),
    ...(list.search_query ? [searchFilter(list.search_query)] : []),
    ...createMetadataFilters(RUN_METADATA, list.metadata),
  ]
}

function listFilters(list: ListRunsQuery): Expression<SqlBool>[] {
  const procedures = list.procedure_ids?.map(foldIdentifier)
  return [
    ...isOneOf('runs.public_id', list.ids?.map(foldIdentifier)),
    ...isOneOf('runs.outcome', list.outcomes),
    ...isOneOf('units.serial_number_folded', list.serial_numbers?.map(foldIdentifier)),
    ...isOneOf('parts.number_folded', list.part_numbers?.map(foldIdentifier)),
    ...isOneOf('revisions.number_folded', list.revision_numbers?.map(foldIdentifier)),
    ...(procedures
      ? [
          anyOf([
            ...isOneOf('procedures.public_id', procedures),
            ...isOneOf('procedures.identifier_folded', procedures),
          ]),
        ]
      : []),
  ]
}

function rangeFilters(list: ListRunsQuery): Expression<SqlBool>[] {
  return [
    ...isAtLeast('runs.duration_us', durationUs(list.duration_min)),
    ...isAtMost('runs.duration_us', durationUs(list.duration_max)),
    ...isAtLeast('runs.started_at_us', timeUs(list.started_after)),
    ...isAtMost('runs.started_at_us', timeUs(list.started_before)),
    ...isAtLeast('runs.ended_at_us', timeUs(list.ended_after)),
    ...isAtMost('runs.ended_at_us', timeUs(list.ended_before)),
    ...isAtLeast('runs.created_at_us', timeUs(list.created_after)),
    ...isAtMost('runs.created_at_us', timeUs(list.created_before)),
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

function durationUs(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : parseDurationUs(duration)
}
