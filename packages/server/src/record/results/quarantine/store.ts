import { foldIdentifier, type ListQuarantineQuery } from '@runledger/protocol'
import { type Expression, sql, type SqlBool } from 'kysely'
import { anyOf, isOneOf } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { parseDerivedUuid } from '../../../storage/database/keys'
import { isInList } from '../../../storage/database/rows'
import type { QuarantineEntriesTable } from '../../../storage/database/schema/quarantine'
import { FLAKY } from '../../../storage/database/schema/history'
import type { TestName } from '../history/recent-result-store'
import { KEY_OF_TEST } from '../tests/result-joins'

export interface EntryRow extends Omit<
  QuarantineEntriesTable,
  'created_by_user_id' | 'extended_by_user_id' | 'ended_by_user_id'
> {
  /** The test as it is called now. */
  present_id: number
  created_by: string | null
  extended_by: string | null
  ended_by: string | null
}

function selectEntries(query: Query) {
  const nameOf = (user: string) =>
    sql<string | null>`coalesce(${sql.ref(`${user}.name`)}, ${sql.ref(`${user}.email`)})`
  return query
    .selectFrom('quarantine_entries')
    .innerJoin('live_procedures as procedures', 'procedures.id', 'quarantine_entries.procedure_id')
    .innerJoin('tests', 'tests.id', 'quarantine_entries.test_id')
    .leftJoin('users as creators', 'creators.id', 'quarantine_entries.created_by_user_id')
    .leftJoin('users as extenders', 'extenders.id', 'quarantine_entries.extended_by_user_id')
    .leftJoin('users as enders', 'enders.id', 'quarantine_entries.ended_by_user_id')
    .selectAll('quarantine_entries')
    .select([
      KEY_OF_TEST.$castTo<number>().as('present_id'),
      nameOf('creators').as('created_by'),
      nameOf('extenders').as('extended_by'),
      nameOf('enders').as('ended_by'),
    ])
}

/** After the cursor, newest first, and one more than `limit` when there are more. */
export async function listEntries(
  query: Query,
  list: ListQuarantineQuery,
  nowUs: number,
): Promise<EntryRow[]> {
  const conditions = [
    ...isOfProcedures(list.procedure_ids),
    ...isOfTests(query, list.test_ids),
    ...isOneOf('quarantine_entries.fingerprint', list.fingerprints?.map(foldIdentifier)),
    ...(list.ended ? [] : [isLive(nowUs)]),
    ...(list.cursor === undefined ? [] : [sql<SqlBool>`quarantine_entries.id < ${list.cursor}`]),
  ]
  return conditions
    .reduce((select, condition) => select.where(condition), selectEntries(query))
    .orderBy('quarantine_entries.id', 'desc')
    .limit(list.limit + 1)
    .execute()
}

export async function listLiveEntries(query: Query, procedureId: number, nowUs: number): Promise<EntryRow[]> {
  return selectEntries(query)
    .where('quarantine_entries.procedure_id', '=', procedureId)
    .where(isLive(nowUs))
    .orderBy('quarantine_entries.id')
    .execute()
}

export async function findEntry(query: Query, publicId: string): Promise<EntryRow | undefined> {
  return selectEntries(query)
    .where('quarantine_entries.public_id', '=', publicId.toLowerCase())
    .executeTakeFirst()
}

export async function insertEntry(query: Query, entry: QuarantineEntriesTable): Promise<void> {
  await query.insertInto('quarantine_entries').values(entry).execute()
}

export async function updateEntry(
  query: Query,
  id: number,
  change: Partial<Omit<QuarantineEntriesTable, 'id'>>,
): Promise<void> {
  await query.updateTable('quarantine_entries').set(change).where('id', '=', id).execute()
}

function isLive(nowUs: number): Expression<SqlBool> {
  return sql<SqlBool>`quarantine_entries.ends_at_us > ${nowUs}`
}

function isOfProcedures(sent: readonly string[] | undefined): Expression<SqlBool>[] {
  const named = sent?.map(foldIdentifier)
  if (!named?.length) return []
  return [
    anyOf([...isOneOf('procedures.public_id', named), ...isOneOf('procedures.identifier_folded', named)]),
  ]
}

/** By the ids of tests, or of earlier names of theirs. */
function isOfTests(query: Query, sent: readonly string[] | undefined): Expression<SqlBool>[] {
  if (!sent?.length) return []
  const keys = sent.flatMap((id) => parseDerivedUuid('test', id)?.run_id ?? [])
  return [
    sql<SqlBool>`${KEY_OF_TEST} IN (SELECT coalesce(named.alias_of, named.id) FROM tests AS named
      WHERE ${isInList(query, 'named.id', keys)})`,
  ]
}

/** What the first error with the fingerprint says, by fingerprint. */
export async function listMessages(
  query: Query,
  fingerprints: readonly string[],
): Promise<Map<string, string>> {
  if (fingerprints.length === 0) return new Map()
  const { rows } = await sql<{ fingerprint: string; message: string | null }>`SELECT fingerprint,
      (SELECT message FROM errors WHERE errors.group_id = error_groups.id ORDER BY errors.id LIMIT 1) AS message
    FROM error_groups WHERE fingerprint IN (${sql.join(fingerprints)})`.execute(query)
  return new Map(
    rows.flatMap((row) => (row.message === null ? [] : [[row.fingerprint, row.message] as const])),
  )
}

interface CountedEntry {
  /** All names of its test. */
  names: readonly TestName[]
  fingerprint: string | null
  /** Bounds of the keys of runs. */
  fromKey: number
  toKey: number
}

/** Runs in which an attempt of the test failed. */
export async function countFailures(
  query: Query,
  { names, fingerprint, fromKey, toKey }: CountedEntry,
): Promise<number> {
  if (names.length === 0) return 0
  const isName = anyOf(
    names.map(
      ({ id, suite_id: suite }) =>
        sql<SqlBool>`(test_results.suite_id = ${suite} AND test_results.test_id = ${id}
          AND test_results.run_id > ${fromKey} AND test_results.run_id < ${toKey})`,
    ),
  )
  const isError =
    fingerprint === null
      ? sql`1 = 1`
      : sql`error_group_id IN (SELECT id FROM error_groups WHERE fingerprint = ${fingerprint})`
  const { rows } = await sql<{ failures: number }>`SELECT count(DISTINCT test_results.run_id) AS failures
    FROM test_results JOIN live_runs AS runs ON runs.id = test_results.run_id
    WHERE ${isName} AND test_results.outcome >= ${sql.lit(FLAKY)} AND ${isError}`.execute(query)
  return Number(rows[0]?.failures ?? 0)
}

/** Whole names of tests, which a list of tests cuts. */
export async function listPlaces(query: Query, ids: readonly number[]) {
  if (ids.length === 0) return []
  return query
    .selectFrom('tests')
    .innerJoin('suites', 'suites.id', 'tests.suite_id')
    .innerJoin('definitions as names', 'names.id', 'tests.definition_id')
    .leftJoin('definitions as files', 'files.id', 'suites.file_id')
    .leftJoin('definitions as projects', 'projects.id', 'suites.project_id')
    .select(['tests.id', 'names.name as name', 'files.name as file', 'projects.name as project'])
    .where(isInList(query, 'tests.id', ids))
    .orderBy('tests.id')
    .execute()
}
