import { foldIdentifier, type ListLogsQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { containsTyped, isBetween, isOneOf, timeUs } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { selectPage, type SortValues } from '../../../storage/database/sorted-page'
import { createSharedRunFilters, isOfProcedures } from '../filter-store'
import { findRecord, findRecordCondition } from '../record-store'
import { CREATED_BY_COLUMNS } from '../../access/users/store'

function selectLogs(query: Query) {
  return query
    .selectFrom('run_logs')
    .innerJoin('live_runs as runs', 'runs.id', 'run_logs.run_id')
    .innerJoin('procedures', 'procedures.id', 'runs.procedure_id')
    .innerJoin('units', 'units.id', 'runs.unit_id')
    .leftJoin('users', 'users.id', 'runs.created_by_user_id')
    .leftJoin('stations', 'stations.id', 'runs.created_by_station_id')
    .selectAll('run_logs')
    .select(['runs.public_id as run_public_id', 'runs.outcome as run_outcome', 'runs.started_at_us'])
    .select(['units.public_id as unit_public_id', 'units.serial_number'])
    .select(['procedures.public_id as procedure_public_id', 'procedures.name as procedure_name'])
    .select(CREATED_BY_COLUMNS)
}

const SORT_VALUES: SortValues<ListLogsQuery['sort_by']> = {
  created_at: 'run_logs.timestamp_us',
  // By severity, not by the alphabet.
  level: sql`CASE run_logs.level WHEN 'DEBUG' THEN 1 WHEN 'INFO' THEN 2 WHEN 'WARNING' THEN 3
    WHEN 'ERROR' THEN 4 ELSE 5 END`,
  run_id: 'runs.public_id',
  outcome: 'runs.outcome',
}

export async function listLogRows(query: Query, list: ListLogsQuery) {
  return selectPage(query, selectLogs(query), {
    table: 'run_logs',
    sortValues: SORT_VALUES,
    filters: createLogFilters(list),
    list,
    findCondition: (key) => findRecordCondition(query, 'run_logs', key),
  })
}

export type LogRow = Awaited<ReturnType<typeof listLogRows>>[number]

function createLogFilters(list: ListLogsQuery): Expression<SqlBool>[] {
  return [
    ...createSharedRunFilters(list),
    ...isOfProcedures(list.procedure_ids),
    ...isOneOf('units.sample', list.samples),
    ...isOneOf('run_logs.level', list.levels),
    ...isOneOf('run_logs.source_file', list.source_files),
    ...isOneOf('runs.public_id', list.run_ids?.map(foldIdentifier)),
    ...isOneOf('runs.outcome', list.run_outcomes),
    ...isBetween('run_logs.timestamp_us', timeUs(list.timestamp_after), timeUs(list.timestamp_before)),
    ...(list.search_query ? [containsTyped('run_logs.message', list.search_query)] : []),
  ]
}

export async function findLog(query: Query, id: string): Promise<LogRow | undefined> {
  return findRecord(selectLogs(query), { table: 'run_logs', id })
}
