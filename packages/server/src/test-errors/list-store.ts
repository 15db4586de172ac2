import { foldIdentifier, type ListErrorsQuery, MAX_ERROR_TESTS } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { allOf, containsTyped, isOneOf } from '../database/conditions'
import type { Query } from '../database/database'
import { selectPage, type SortValues } from '../database/sorted-page'
import { createRunFilters, LEAST_INDEXED, matchPhrase } from '../runs/filter-store'

/** Errors with the same fingerprint, as far as they are in the runs that are asked for. */
export interface GroupRow {
  id: number
  fingerprint: string
  occurrences: number
  tests: number
  first_run: number
  last_run: number
}

const SORT_VALUES: SortValues<ListErrorsQuery['sort_by']> = {
  last_run: 'error_groups.last_run',
  first_run: 'error_groups.first_run',
  count: 'error_groups.occurrences',
  tests: 'error_groups.tests',
}

/** Groups of errors in the order asked for, after the cursor, and one more than `limit` when there are more. */
export async function listGroups(query: Query, list: ListErrorsQuery, counted: Counted): Promise<GroupRow[]> {
  // The index has a group's errors test by test, so that both counts are made in one passage through it.
  const groups = sql<GroupRow>`(SELECT group_id AS id, fingerprint, sum(occurrences) AS occurrences, count(*) AS tests,
      min(first_run) AS first_run, max(last_run) AS last_run
    FROM (SELECT group_id, count(*) AS occurrences, min(run_id) AS first_run, max(run_id) AS last_run
      FROM phase_errors WHERE ${counted.rows} GROUP BY group_id, definition_id, file_id, project_id)
    JOIN error_groups ON error_groups.id = group_id GROUP BY group_id)`
  const select = query.selectFrom(groups.as('error_groups')).selectAll()
  return selectPage(query, select, { table: 'error_groups', sortValues: SORT_VALUES, filters: [], list })
}

/** What is true of the rows of `phase_errors` that count: of all of them, and of those of a group that was found already. */
interface Counted {
  rows: Expression<SqlBool>
  /** `+` keeps the database from going through all runs once for each group. */
  ofGroup: Expression<SqlBool>
}

export async function createErrorFilter(query: Query, list: ListErrorsQuery): Promise<Counted> {
  const ofRuns = createRunFilters(list)
  const { rows } = await sql`SELECT 1 FROM deletions LIMIT 1`.execute(query)
  const isOfErrors = [...hasFingerprint(list.fingerprints), ...hasMessage(list.search_query)]
  // Without a filter, and while nothing is being deleted, no run needs to be looked at.
  if (ofRuns.length === 0 && rows.length === 0)
    return { rows: allOf([IS_TRUE, ...isOfErrors]), ofGroup: IS_TRUE }
  const runs = sql`SELECT runs.id FROM live_runs AS runs WHERE ${allOf([IS_TRUE, ...ofRuns])}`
  return {
    rows: allOf([sql<SqlBool>`phase_errors.run_id IN (${runs})`, ...isOfErrors]),
    ofGroup: sql<SqlBool>`+phase_errors.run_id IN (${runs})`,
  }
}

const IS_TRUE = sql<SqlBool>`1 = 1`

function hasFingerprint(fingerprints: readonly string[] | undefined): Expression<SqlBool>[] {
  const [isOne] = isOneOf('fingerprint', fingerprints?.map(foldIdentifier))
  return isOne ? [sql<SqlBool>`phase_errors.group_id IN (SELECT id FROM error_groups WHERE ${isOne})`] : []
}

function hasMessage(text: string | undefined): Expression<SqlBool>[] {
  if (!text) return []
  const found =
    [...foldIdentifier(text)].length < LEAST_INDEXED
      ? sql`SELECT group_id FROM errors WHERE ${containsTyped('errors.message', text)}`
      : sql`SELECT group_id FROM errors INDEXED BY errors_id_group
          WHERE id IN (SELECT rowid FROM error_search WHERE error_search MATCH ${matchPhrase(text)})`
  return [sql<SqlBool>`phase_errors.group_id IN (${found})`]
}

/** These groups, as rows with the key of each as `value`. */
function keysOf(groups: readonly GroupRow[]) {
  return sql`json_each(${JSON.stringify(groups.map(({ id }) => id))})`
}

/** Messages of groups as they were the last time, by the key of the group. */
export async function listLastMessages(
  query: Query,
  groups: readonly GroupRow[],
  counted: Counted,
): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; message: string }>`SELECT value AS id,
      (SELECT message FROM phase_errors JOIN errors ON errors.id = phase_errors.error_id
        WHERE phase_errors.group_id = value AND ${counted.ofGroup}
        ORDER BY phase_errors.run_id DESC LIMIT 1) AS message
    FROM ${keysOf(groups)}`.execute(query)
  return new Map(rows.map(({ id, message }) => [id, message]))
}

export interface TestRow {
  group_id: number
  name: string
  file: string | null
  project: string | null
  occurrences: number
  procedure_public_id: string
  procedure_identifier: string
  procedure_name: string
}

/** The tests that had errors of these groups most often, some of each. */
export async function listTests(
  query: Query,
  groups: readonly GroupRow[],
  counted: Counted,
): Promise<TestRow[]> {
  const { rows } =
    await sql<TestRow>`SELECT group_id, definitions.name, files.name AS file, projects.name AS project, occurrences,
      procedures.public_id AS procedure_public_id, procedures.identifier AS procedure_identifier,
      procedures.name AS procedure_name
    FROM (SELECT group_id, definition_id, file_id, project_id, count(*) AS occurrences,
        row_number() OVER (PARTITION BY group_id
          ORDER BY count(*) DESC, definition_id, file_id, project_id) AS place
      FROM phase_errors WHERE group_id IN (SELECT value FROM ${keysOf(groups)}) AND ${counted.ofGroup}
      GROUP BY group_id, definition_id, file_id, project_id)
    JOIN definitions ON definitions.id = definition_id
    JOIN procedures ON procedures.id = definitions.procedure_id
    LEFT JOIN definitions AS files ON files.id = file_id
    LEFT JOIN definitions AS projects ON projects.id = project_id
    WHERE place <= ${MAX_ERROR_TESTS} ORDER BY group_id, place`.execute(query)
  return rows
}

const LAST_RUNS = 50

/** Branches of the last runs that had errors of these groups, the last one first. */
export async function listBranches(
  query: Query,
  groups: readonly GroupRow[],
  counted: Counted,
): Promise<{ group_id: number; branch: string }[]> {
  const lastRuns = sql`SELECT DISTINCT run_id FROM phase_errors
    WHERE phase_errors.group_id = value AND ${counted.ofGroup} ORDER BY run_id DESC LIMIT ${LAST_RUNS}`
  const { rows } = await sql<{
    group_id: number
    branch: string
  }>`SELECT value AS group_id, text_value AS branch
    FROM ${keysOf(groups)} CROSS JOIN run_metadata ON run_metadata.run_id IN (${lastRuns})
    JOIN metadata_values ON metadata_values.id = run_metadata.value_id
    WHERE metadata_values.name = 'git_branch'
    GROUP BY value, text_value ORDER BY value, max(run_metadata.run_id) DESC`.execute(query)
  return rows
}
