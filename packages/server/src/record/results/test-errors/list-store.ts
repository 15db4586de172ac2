import {
  foldIdentifier,
  formatTimestampUs,
  type ListErrorsQuery,
  MAX_ERROR_DAYS,
  MAX_ERROR_RUNS,
  MAX_ERROR_TESTS,
} from '@runledger/protocol'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import { US_PER_SECOND } from '../../../base/clock'
import { allOf, containsTyped, isOneOf } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { selectPage, type SortValues } from '../../../storage/database/sorted-page'
import { createRunFilters, LEAST_INDEXED } from '../filter-store'
import { beginning } from '../tests/listed-text'

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
  // The index orders a group's errors by test, so that one scan makes both counts. Related rows are looked up by key rather than
  // joined: with few errors, the database would choose a bad join order.
  const groups = sql<GroupRow>`(SELECT group_id AS id,
      (SELECT fingerprint FROM error_groups WHERE error_groups.id = group_id) AS fingerprint, sum(occurrences) AS occurrences, count(*) AS tests,
      min(first_run) AS first_run, max(last_run) AS last_run
    FROM (SELECT group_id, count(*) AS occurrences, min(run_id) AS first_run, max(run_id) AS last_run
      FROM phase_errors WHERE ${counted.rows} GROUP BY group_id, definition_id, file_id, project_id) AS of_tests
    GROUP BY group_id)`
  const select = query.selectFrom(groups.as('error_groups')).selectAll()
  return selectPage(query, select, { table: 'error_groups', sortValues: SORT_VALUES, filters: [], list })
}

/** Conditions on counted rows of `phase_errors`: on all rows, and on rows of a group that was found already. */
export interface Counted {
  rows: Expression<SqlBool>
  /** `+` keeps the database from going through all runs once for each group. */
  ofGroup: Expression<SqlBool>
}

export async function createErrorFilter(query: Query, list: ListErrorsQuery): Promise<Counted> {
  const ofRuns = createRunFilters(list)
  const { rows } = await sql`SELECT 1 FROM deletions LIMIT 1`.execute(query)
  const message = await hasMessage(query, list.search_query)
  const ofTests = [...message.ofErrors, ...createTestFilters(list)]
  const ofErrors = [...hasFingerprint(list.fingerprints), ...message.indexHints, ...ofTests]
  // Without filters and pending deletions, no run needs to be read.
  if (ofRuns.length === 0 && rows.length === 0)
    return { rows: allOf([IS_TRUE, ...ofErrors]), ofGroup: allOf([IS_TRUE, ...ofTests]) }
  const runs = sql`SELECT runs.id FROM live_runs AS runs WHERE ${allOf([IS_TRUE, ...ofRuns])}`
  return {
    rows: allOf([sql<SqlBool>`phase_errors.run_id IN (${runs})`, ...ofErrors]),
    ofGroup: allOf([sql<SqlBool>`+phase_errors.run_id IN (${runs})`, ...ofTests]),
  }
}

const IS_TRUE = sql<SqlBool>`1 = 1`

function hasFingerprint(fingerprints: readonly string[] | undefined): Expression<SqlBool>[] {
  const [isOne] = isOneOf('fingerprint', fingerprints?.map(foldIdentifier))
  return isOne ? [sql<SqlBool>`phase_errors.group_id IN (SELECT id FROM error_groups WHERE ${isOne})`] : []
}

/** Errors of tests with one of these tags, owners and kinds. */
function createTestFilters({ tags, owners, kinds }: ListErrorsQuery): Expression<SqlBool>[] {
  const named = (names: readonly string[]) =>
    sql`(SELECT id FROM definitions WHERE name IN (${sql.join(names)}))`
  const ofPhase = [
    ...isOneOf('phases.kind', kinds),
    ...(owners?.length ? [sql<SqlBool>`phases.owner_id IN ${named(owners)}`] : []),
  ]
  return [
    ...(ofPhase.length > 0
      ? [
          sql<SqlBool>`EXISTS (SELECT 1 FROM phases WHERE phases.run_id = phase_errors.run_id
            AND phases.id = phase_errors.phase_id AND ${allOf(ofPhase)})`,
        ]
      : []),
    ...(tags?.length
      ? [
          sql<SqlBool>`EXISTS (SELECT 1 FROM phase_tags WHERE phase_tags.run_id = phase_errors.run_id
            AND phase_tags.phase_id = phase_errors.phase_id AND description IS NULL
            AND tag_id IN ${named(tags)})`,
        ]
      : []),
  ]
}

// Up to this many errors are looked up once, and their keys are sent with each statement of a list.
const MAX_FOUND = 20_000

/** Conditions for errors whose message contains the text. */
async function hasMessage(
  query: Query,
  text: string | undefined,
): Promise<Record<'indexHints' | 'ofErrors', readonly Expression<SqlBool>[]>> {
  if (!text) return { indexHints: [], ofErrors: [] }
  const { engine } = query
  const found = selectErrorsWith(query, text)
  const { rows } = await sql<{ id: number }>`${found} LIMIT ${MAX_FOUND + 1}`.execute(query)
  const keys = rows.map(({ id }) => id)
  const errors = keys.length > MAX_FOUND ? found : sql`SELECT value FROM ${engine.eachOf(keys, 'found')}`
  return {
    indexHints: engine.errorIndexHint(errors),
    ofErrors: [sql<SqlBool>`${engine.withoutIndex('phase_errors.error_id')} IN (${errors})`],
  }
}

function selectErrorsWith({ engine }: Query, text: string): RawBuilder<{ id: number }> {
  if ([...foldIdentifier(text)].length >= LEAST_INDEXED) return engine.selectErrorsWith(text)
  return sql`SELECT id FROM (SELECT id, substr(message, 1, 2000) AS message FROM errors) AS errors
    WHERE ${containsTyped('errors.message', text)}`
}

const keysOf = (groups: readonly GroupRow[]) => groups.map(({ id }) => id)

/** The latest message of each group, by the group's key. */
export async function listLastMessages(
  query: Query,
  groups: readonly GroupRow[],
  counted: Counted,
): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; message: string }>`SELECT value AS id,
      (SELECT message FROM errors WHERE errors.id = (SELECT error_id FROM phase_errors
        WHERE phase_errors.group_id = value AND ${counted.ofGroup}
        ORDER BY phase_errors.run_id DESC LIMIT 1)) AS message
    FROM ${query.engine.eachOf(keysOf(groups), 'listed')}`.execute(query)
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
  const { rows } = await sql<TestRow>`SELECT group_id, occurrences, ${beginning('definitions.name')} AS name,
      ${beginning('files.name')} AS file, ${beginning('projects.name')} AS project,
      procedures.public_id AS procedure_public_id, procedures.identifier AS procedure_identifier,
      ${beginning('procedures.name')} AS procedure_name
    FROM (SELECT group_id, definition_id, file_id, project_id, count(*) AS occurrences,
        row_number() OVER (PARTITION BY group_id
          ORDER BY count(*) DESC, definition_id, file_id NULLS FIRST, project_id NULLS FIRST) AS place
      FROM phase_errors WHERE ${isInList(query, 'group_id', keysOf(groups))} AND ${counted.ofGroup}
      GROUP BY group_id, definition_id, file_id, project_id) AS of_tests
    JOIN definitions ON definitions.id = definition_id
    JOIN procedures ON procedures.id = definitions.procedure_id
    LEFT JOIN definitions AS files ON files.id = file_id
    LEFT JOIN definitions AS projects ON projects.id = project_id
    WHERE place <= ${MAX_ERROR_TESTS} ORDER BY group_id, place`.execute(query)
  return rows
}

const LAST_RUNS = 20

/** Branches of the last runs that had errors of these groups, the last one first. */
export async function listBranches(
  query: Query,
  groups: readonly GroupRow[],
  counted: Counted,
): Promise<{ group_id: number; branch: string }[]> {
  const lastRuns = query.engine.firstsOfEach(
    keysOf(groups),
    (group) => sql`SELECT DISTINCT run_id AS key FROM phase_errors
      WHERE phase_errors.group_id = ${group} AND ${counted.ofGroup} ORDER BY run_id DESC LIMIT ${LAST_RUNS}`,
  )
  // In this order: there are many branches, and each run has one.
  const { rows } = await sql<{
    group_id: number
    branch: string
  }>`SELECT owners.value AS group_id, ${beginning('text_value')} AS branch
    FROM ${lastRuns} CROSS JOIN run_metadata CROSS JOIN metadata_values
    WHERE run_metadata.run_id = firsts.value AND metadata_values.id = run_metadata.value_id
      AND metadata_values.name = 'git_branch'
    GROUP BY owners.value, branch ORDER BY owners.value, max(run_metadata.run_id) DESC`.execute(query)
  return rows
}

/** The last error of a group. */
export async function findLastError(query: Query, { id }: GroupRow, counted: Counted) {
  return query
    .selectFrom('phase_errors')
    .innerJoin('errors', 'errors.id', 'phase_errors.error_id')
    .innerJoin('error_groups', 'error_groups.id', 'phase_errors.group_id')
    .selectAll('errors')
    .select('error_groups.fingerprint')
    .where('phase_errors.group_id', '=', id)
    .where(counted.ofGroup)
    .orderBy('phase_errors.run_id', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow()
}

const US_PER_DAY = 86_400 * US_PER_SECOND

/** How often errors of a group happened on the last days on which they did. */
export async function listDays(query: Query, { id }: GroupRow, counted: Counted) {
  const { rows } = await sql<{ day: number; count: number; runs: number }>`
    SELECT runs.created_at_us / ${sql.lit(US_PER_DAY)} AS day, count(*) AS count, count(DISTINCT run_id) AS runs
    FROM phase_errors JOIN runs ON runs.id = phase_errors.run_id
    WHERE phase_errors.group_id = ${id} AND ${counted.ofGroup}
    GROUP BY day ORDER BY day DESC LIMIT ${MAX_ERROR_DAYS}`.execute(query)
  return rows.map(({ day, count, runs }) => ({
    date: formatTimestampUs(day * US_PER_DAY).slice(0, 10),
    count,
    runs_count: runs,
  }))
}

/** Keys of the last runs that had errors of a group, the last one first. */
export async function listLastRuns(query: Query, { id }: GroupRow, counted: Counted): Promise<number[]> {
  const rows = await query
    .selectFrom('phase_errors')
    .select('run_id')
    .distinct()
    .where('phase_errors.group_id', '=', id)
    .where(counted.ofGroup)
    .orderBy('run_id', 'desc')
    .limit(MAX_ERROR_RUNS)
    .execute()
  return rows.map(({ run_id: key }) => key)
}
