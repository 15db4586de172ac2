import { foldIdentifier, type ListPhasesQuery } from '@runledger/protocol'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import { anyOf, durationUs, isBetween, isOneOf, timeUs } from '../database/conditions'
import type { Query } from '../database/database'
import { parseDerivedUuid } from '../database/derived-uuid'
import { selectPage } from '../database/sorted-page'
import { findRunOfRecord } from '../runs/record-run-store'
import { createSharedRunFilters, isOneOfProcedures } from '../runs/run-filter-store'

/** No later attempt at the same phase is in the same run. */
export const IS_FINAL_ATTEMPT = sql<SqlBool>`NOT EXISTS (SELECT 1 FROM phases AS later_phases
  WHERE later_phases.run_id = phases.run_id AND later_phases.definition_id = phases.definition_id
  AND later_phases.retry_count > phases.retry_count)`

/** Phases with their run and what that refers to. */
export function selectPhases(query: Query) {
  return query
    .selectFrom('phases')
    .innerJoin('definitions as phase_definitions', 'phase_definitions.id', 'phases.definition_id')
    .innerJoin('runs', 'runs.id', 'phases.run_id')
    .innerJoin('procedures', 'procedures.id', 'runs.procedure_id')
    .innerJoin('units', 'units.id', 'runs.unit_id')
    .innerJoin('revisions', 'revisions.id', 'runs.revision_id')
    .innerJoin('parts', 'parts.id', 'revisions.part_id')
    .leftJoin('procedure_versions', 'procedure_versions.id', 'runs.version_id')
    .leftJoin('batches', 'batches.id', 'runs.batch_id')
    .leftJoin('users', 'users.id', 'runs.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'runs.created_by_station_id')
    .leftJoin('users as operators', 'operators.id', 'runs.operated_by_user_id')
    .selectAll('phases')
    .select('phase_definitions.name')
    .select(['runs.public_id as run_public_id', 'runs.outcome as run_outcome'])
    .select(['units.serial_number', 'units.sample'])
    .select(['procedures.public_id as procedure_public_id', 'procedures.name as procedure_name'])
    .select(IS_FINAL_ATTEMPT.as('is_final_attempt'))
}

const SORT_VALUES = {
  started_at: sql.ref('phases.started_at_us'),
  duration: sql.ref('phases.duration_us'),
  outcome: sql.ref('phases.outcome'),
  serial_number: sql.ref('units.serial_number_folded'),
  phase_name: sql.ref('phase_definitions.name'),
} as const satisfies Record<ListPhasesQuery['sort_by'], RawBuilder<unknown>>

/** Phases in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listPhaseRows(query: Query, list: ListPhasesQuery) {
  let select = selectPhases(query)
  for (const condition of createPhaseFilters(list)) select = select.where(condition)
  return selectPage(query, select, {
    name: `phases ${list.sort_by}`,
    value: SORT_VALUES[list.sort_by],
    key: sql.ref('phases.id'),
    order: list.sort_order,
    limit: list.limit,
    cursor: list.cursor,
    findValue: (key) => findSortValue(query, list.sort_by, key),
  })
}

export type PhaseListRow = Awaited<ReturnType<typeof listPhaseRows>>[number]

async function findSortValue(
  query: Query,
  sortBy: ListPhasesQuery['sort_by'],
  key: number,
): Promise<unknown> {
  const runId = await findRunOfRecord(query, 'phases', key)
  if (runId === undefined) return undefined
  const row = await selectPhases(query)
    .select(SORT_VALUES[sortBy].as('sort_value'))
    .where('phases.run_id', '=', runId)
    .where('phases.id', '=', key)
    .executeTakeFirst()
  return row?.sort_value
}

function createPhaseFilters(list: ListPhasesQuery): Expression<SqlBool>[] {
  return [
    ...isOneOfProcedures([list.procedure_id]),
    ...createSharedRunFilters(list),
    ...isOneOf('operators.public_id', list.operated_by_ids?.map(foldIdentifier)),
    ...isOneOf('phase_definitions.name', list.names),
    ...isOneOf('phases.outcome', list.outcomes),
    ...isOneOf('runs.outcome', list.run_outcomes),
    ...isOneOfSamples(list.samples),
    ...isOneOfRecords('phases', 'phase', list.ids),
    ...isBetween('phases.duration_us', durationUs(list.duration_min), durationUs(list.duration_max)),
    ...isBetween('phases.started_at_us', timeUs(list.started_after), timeUs(list.started_before)),
    ...(list.exclude_retries ? [IS_FINAL_ATTEMPT] : []),
  ]
}

function isOneOfSamples(samples: ListPhasesQuery['samples']): Expression<SqlBool>[] {
  if (!samples?.length) return []
  return [
    anyOf([
      ...isOneOf('units.sample', samples),
      ...(samples.includes('production') ? [sql<SqlBool>`units.sample IS NULL`] : []),
    ]),
  ]
}

/** Records by their own ids, or all those of runs by the runs' ids. */
export function isOneOfRecords(
  table: 'phases' | 'measurements',
  kind: 'phase' | 'measurement',
  ids: readonly string[] | undefined,
): Expression<SqlBool>[] {
  if (!ids?.length) return []
  const keys = ids.map((id) => parseDerivedUuid(kind, id)).filter((key) => key !== undefined)
  return [
    anyOf([
      ...isOneOf('runs.public_id', ids.map(foldIdentifier)),
      ...(keys.length > 0 ? [sql<SqlBool>`${sql.ref(`${table}.id`)} IN (${sql.join(keys)})`] : []),
    ]),
  ]
}

/** The phase with this id, with the key of its run; undefined when there is none. */
export async function findPhase(query: Query, id: string) {
  const key = parseDerivedUuid('phase', id)
  const runId = key === undefined ? undefined : await findRunOfRecord(query, 'phases', key)
  if (key === undefined || runId === undefined) return undefined
  return selectPhases(query)
    .where('phases.run_id', '=', runId)
    .where('phases.id', '=', key)
    .executeTakeFirst()
}
