import { foldIdentifier, MAX_FOUND } from '@runledger/protocol'
import { sql, type SqlBool } from 'kysely'
import { containsTyped } from '../../../storage/database/conditions'
import type { Query } from '../../../storage/database/database'
import { isInList } from '../../../storage/database/rows'
import { IS_LIVE } from '../builds/store'

/** Fewer characters are in too many texts for an index. */
const LEAST_INDEXED = 3

/** Texts that begin with what was typed first, then the shorter ones. */
function byMatch(column: string, text: string) {
  const typed = text.toLowerCase()
  return sql`CASE WHEN lower(substr(${sql.ref(column)}, 1, ${typed.length})) = ${typed} THEN 0 ELSE 1 END,
    length(${sql.ref(column)}), ${sql.ref(column)}`
}

export async function findTests(query: Query, text: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`SELECT tests.id FROM tests
      JOIN definitions ON definitions.id = tests.definition_id
      JOIN suites ON suites.id = tests.suite_id JOIN live_procedures ON live_procedures.id = suites.procedure_id
    WHERE alias_of IS NULL AND ${containsTyped('definitions.name', text)}
    ORDER BY ${byMatch('definitions.name', text)}, tests.id LIMIT ${MAX_FOUND}`.execute(query)
  return rows.map(({ id }) => id)
}

interface FoundBuild {
  group: string
  subject: string | null
  branch: string | null
}

export async function findBuildsByName(query: Query, text: string): Promise<FoundBuild[]> {
  const { rows } =
    await sql<FoundBuild>`SELECT group_name AS ${sql.id('group')}, commit_subject AS subject, branch
    FROM builds WHERE ${IS_LIVE} AND (${containsTyped('group_name', text)} OR ${containsTyped('commit_subject', text)})
    ORDER BY started_at_us DESC LIMIT ${MAX_FOUND}`.execute(query)
  return rows
}

/** Different values; a commit by its first characters. */
export async function findBuildColumn(
  query: Query,
  column: 'git_commit' | 'branch' | 'author',
  text: string,
): Promise<string[]> {
  const typed = text.toLowerCase()
  const matches =
    column === 'git_commit'
      ? sql<SqlBool>`substr(git_commit, 1, ${typed.length}) = ${typed}`
      : containsTyped(column, text)
  const { rows } = await sql<{ value: string }>`SELECT ${sql.ref(column)} AS value FROM builds
    WHERE ${matches} AND ${IS_LIVE} GROUP BY ${sql.ref(column)} ORDER BY max(started_at_us) DESC LIMIT ${MAX_FOUND}`.execute(
    query,
  )
  return rows.map(({ value }) => value)
}

export async function findOwners(query: Query, text: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT DISTINCT definitions.name FROM definitions
      JOIN live_procedures ON live_procedures.id = definitions.procedure_id
    WHERE ${containsTyped('definitions.name', text)}
      AND definitions.id IN (SELECT owner_id FROM tests WHERE owner_id IS NOT NULL)
    ORDER BY definitions.name LIMIT ${MAX_FOUND}`.execute(query)
  return rows.map(({ name }) => name)
}

export async function findUnits(query: Query, text: string): Promise<string[]> {
  const folded = foldIdentifier(text)
  const matches =
    text.length < LEAST_INDEXED
      ? sql<SqlBool>`serial_number_folded >= ${folded} AND serial_number_folded < ${`${folded}\u{10FFFF}`}`
      : sql<SqlBool>`units.id IN (${query.engine.selectRecordsWith(text)})`
  // The unit of software is the software itself: its builds are found in its place.
  const { rows } = await sql<{ serial_number: string }>`SELECT serial_number FROM live_units AS units
    WHERE ${matches} AND NOT EXISTS (SELECT 1 FROM runs WHERE runs.unit_id = units.id AND runs.build_id IS NOT NULL)
    ORDER BY ${byMatch('serial_number', text)} LIMIT ${MAX_FOUND}`.execute(query)
  return rows.map(({ serial_number: serialNumber }) => serialNumber)
}

export async function findBatches(query: Query, text: string): Promise<string[]> {
  const { rows } = await sql<{ number: string }>`SELECT number FROM live_batches
    WHERE ${containsTyped('number', text)} ORDER BY ${byMatch('number', text)} LIMIT ${MAX_FOUND}`.execute(
    query,
  )
  return rows.map(({ number }) => number)
}

interface FoundError {
  fingerprint: string
  message: string
}

const MAX_SEARCHED_ERRORS = 1_000

/** By the beginning of their message, each fingerprint once. */
export async function findErrors(query: Query, text: string): Promise<FoundError[]> {
  if (text.length < LEAST_INDEXED) return []
  const found = await sql<{
    id: number
  }>`${query.engine.selectErrorsWith(text)} LIMIT ${MAX_SEARCHED_ERRORS}`.execute(query)
  const rows = await query
    .selectFrom('errors')
    .innerJoin('error_groups', 'error_groups.id', 'errors.group_id')
    .select(['errors.id', 'fingerprint', 'message'])
    .where(
      isInList(
        query,
        'errors.id',
        found.rows.map(({ id }) => id),
      ),
    )
    .orderBy('errors.id', 'desc')
    .execute()
  const byFingerprint = new Map(rows.toReversed().map((row) => [row.fingerprint, row]))
  return [...byFingerprint.values()].toReversed().slice(0, MAX_FOUND)
}
