import { foldIdentifier, type ListRunsQuery, type runFilterFields } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, durationUs, isBetween, isOneOf, timeUs } from '../database/conditions'
import { createMetadataFilters, type MetadataOwner } from '../metadata/metadata-filter-store'
import { digestMetadata } from '../metadata/value-store'

const RUN_METADATA: MetadataOwner = {
  tables: sql`run_metadata JOIN metadata_values ON metadata_values.id = run_metadata.value_id`,
  ownerColumn: 'run_id',
  ownerKey: 'runs.id',
  digest: digestMetadata,
}

/** Conditions on `runs` alone, one for each filter that is set, but for the search. */
export function createRunFilters(list: ListRunsQuery): Expression<SqlBool>[] {
  return [
    ...createSharedRunFilters(list),
    ...isOneOf('runs.public_id', list.ids?.map(foldIdentifier)),
    ...isOneOf('runs.outcome', list.outcomes),
    ...refersTo(
      { column: 'runs.unit_id', select: 'SELECT id FROM units WHERE' },
      isOneOf('sample', list.samples),
    ),
    ...isOperatedBy(list.operated_by_ids),
    ...isOfProcedures(list.procedure_ids),
    ...isBetween('runs.duration_us', durationUs(list.duration_min), durationUs(list.duration_max)),
    ...isBetween('runs.started_at_us', timeUs(list.started_after), timeUs(list.started_before)),
    ...isBetween('runs.ended_at_us', timeUs(list.ended_after), timeUs(list.ended_before)),
    ...isBetween('runs.created_at_us', timeUs(list.created_after), timeUs(list.created_before)),
    ...createMetadataFilters(RUN_METADATA, list.metadata),
  ]
}

type SharedRunFilter = Omit<Pick<ListRunsQuery, keyof typeof runFilterFields>, 'samples'>

/**
 * Filters that the lists of runs, phases, measurements and logs share. They name what runs refer to by its key, so that
 * runs are found by an index in the order of the list, and nothing needs a join.
 */
export function createSharedRunFilters(list: SharedRunFilter): Expression<SqlBool>[] {
  const isNumbered = (numbers: readonly string[] | undefined, column: string) =>
    isOneOf(column, numbers?.map(foldIdentifier))
  return [
    ...refersTo(
      { column: 'runs.version_id', select: 'SELECT id FROM procedure_versions WHERE' },
      isNumbered(list.procedure_versions, 'tag_folded'),
    ),
    ...isOneOf('runs.deployment_id', list.deployment_ids),
    // Environments are those of deployments, of which this service knows no more than the id.
    ...(list.environments?.length ? [sql<SqlBool>`1 = 0`] : []),
    ...refersTo(
      {
        column: 'runs.unit_id',
        select: 'SELECT id FROM units WHERE',
        isOne: list.serial_numbers?.length === 1,
      },
      isNumbered(list.serial_numbers, 'serial_number_folded'),
    ),
    ...refersTo(
      {
        column: 'runs.revision_id',
        select: 'SELECT revisions.id FROM revisions JOIN parts ON parts.id = revisions.part_id WHERE',
      },
      isNumbered(list.part_numbers, 'parts.number_folded'),
    ),
    ...refersTo(
      { column: 'runs.revision_id', select: 'SELECT id FROM revisions WHERE' },
      isNumbered(list.revision_numbers, 'number_folded'),
    ),
    ...refersTo(
      {
        column: 'runs.batch_id',
        select: 'SELECT id FROM batches WHERE',
        isOne: list.batch_numbers?.length === 1,
      },
      isNumbered(list.batch_numbers, 'number_folded'),
    ),
    ...refersTo(
      { column: 'runs.created_by_user_id', select: 'SELECT id FROM users WHERE' },
      isNumbered(list.created_by_user_ids, 'public_id'),
    ),
    ...refersTo(
      { column: 'runs.created_by_station_id', select: 'SELECT id FROM stations WHERE' },
      isNumbered(list.created_by_station_ids, 'public_id'),
    ),
  ]
}

export function isOperatedBy(userIds: readonly string[] | undefined): Expression<SqlBool>[] {
  const isUser = isOneOf('public_id', userIds?.map(foldIdentifier))
  return refersTo({ column: 'runs.operated_by_user_id', select: 'SELECT id FROM users WHERE' }, isUser)
}

/** Runs of procedures by id or identifier. */
export function isOfProcedures(sent: readonly string[] | undefined): Expression<SqlBool>[] {
  const procedures = sent?.map(foldIdentifier)
  if (!procedures?.length) return []
  const condition = anyOf([...isOneOf('public_id', procedures), ...isOneOf('identifier_folded', procedures)])
  return refersTo(
    {
      column: 'runs.procedure_id',
      select: 'SELECT id FROM procedures WHERE',
      isOne: procedures.length === 1,
    },
    [condition],
  )
}

interface Reference {
  column: string
  /** The keys, as far as the condition. */
  select: string
  /** At most one record is meant: an index in the order of the list then serves better than a set. */
  isOne?: boolean
}

function refersTo(
  { column, select, isOne = false }: Reference,
  [condition]: readonly Expression<SqlBool>[],
): Expression<SqlBool>[] {
  if (!condition) return []
  const keys = sql`${sql.raw(select)} ${condition}`
  return [
    isOne
      ? sql<SqlBool>`${sql.ref(column)} = (${keys} LIMIT 1)`
      : sql<SqlBool>`${sql.ref(column)} IN (${keys})`,
  ]
}
