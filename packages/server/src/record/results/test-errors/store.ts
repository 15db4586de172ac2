import { sql } from 'kysely'
import type { Query, SqlValue, Transaction } from '../../../storage/database/database'
import type { KeyGenerator } from '../../../storage/database/keys'
import { inChunks, insertRows, isInList } from '../../../storage/database/rows'
import type { PhaseFacts } from '../run-request'
import type { ErrorRecord, ErrorRecords } from './facts'

export interface ErrorKeys {
  id: number
  groupId: number
}

const LOOKUP_SIZE = 32
const placeholders = Array.from({ length: LOOKUP_SIZE }, () => '?').join(', ')
const FIND_ERRORS = `SELECT digest AS text, id, group_id FROM errors WHERE digest IN (${placeholders})`
const FIND_GROUPS = `SELECT fingerprint AS text, id, id AS group_id FROM error_groups WHERE fingerprint IN (${placeholders})`

async function findKeys(
  transaction: Transaction,
  statement: string,
  texts: ReadonlySet<string>,
): Promise<Map<string, ErrorKeys>> {
  const keys = new Map<string, ErrorKeys>()
  const wanted = [...texts]
  for (let from = 0; from < wanted.length; from += LOOKUP_SIZE) {
    const some = wanted.slice(from, from + LOOKUP_SIZE)
    const padded = [...some, ...Array<string>(LOOKUP_SIZE - some.length).fill('')]
    const rows = await transaction.all<{ text: string; id: number; group_id: number }>(statement, padded)
    for (const { text, id, group_id: groupId } of rows) keys.set(text, { id, groupId })
  }
  return keys
}

/** Keys of errors by digest; inserts new ones. In chunks, so that others are answered in between. */
export async function resolveErrors(
  transaction: Transaction,
  records: ErrorRecords,
  nextKey: KeyGenerator,
): Promise<ReadonlyMap<string, ErrorKeys>> {
  const byDigest = new Map([...records.values()].map((record) => [record.digest, record]))
  const keys = new Map<string, ErrorKeys>()
  for (const some of inChunks([...byDigest.values()]))
    for (const [digest, found] of await resolveSome(transaction, some, nextKey)) keys.set(digest, found)
  return keys
}

async function resolveSome(
  transaction: Transaction,
  records: readonly ErrorRecord[],
  nextKey: KeyGenerator,
): Promise<Map<string, ErrorKeys>> {
  const keys = await findKeys(transaction, FIND_ERRORS, new Set(records.map(({ digest }) => digest)))
  const unknown = records.filter(({ digest }) => !keys.has(digest))
  const groups = await resolveGroups(transaction, unknown, nextKey)
  const rows = unknown.map(({ fingerprint, ...columns }) => {
    const errorKeys = { id: nextKey(), groupId: groups.get(fingerprint) ?? 0 }
    keys.set(columns.digest, errorKeys)
    return { id: errorKeys.id, group_id: errorKeys.groupId, ...columns }
  })
  await insertRows(transaction, {
    table: 'errors',
    columns: Object.keys(rows[0] ?? {}),
    rows: rows.map((row) => Object.values(row)),
  })
  return keys
}

async function resolveGroups(
  transaction: Transaction,
  records: readonly ErrorRecord[],
  nextKey: KeyGenerator,
): Promise<Map<string, number>> {
  const fingerprints = new Set(records.map(({ fingerprint }) => fingerprint))
  const known = await findKeys(transaction, FIND_GROUPS, fingerprints)
  const groups = new Map([...known].map(([fingerprint, { id }]) => [fingerprint, id]))
  const rows = [...fingerprints]
    .filter((fingerprint) => !groups.has(fingerprint))
    .map((fingerprint) => [nextKey(), fingerprint] as const)
  for (const [id, fingerprint] of rows) groups.set(fingerprint, id)
  await insertRows(transaction, { table: 'error_groups', columns: ['id', 'fingerprint'], rows })
  return groups
}

/** A phase that says something of its test, with the keys of its row. */
export interface FactsOfPhase {
  phaseId: number
  retryCount: number
  facts: PhaseFacts
  /** Of the phase's name. */
  nameId: number | null
  /** Of the file and the project that the test is in. */
  fileId: number | null
  projectId: number | null
}

interface FactsInsert {
  runId: number
  tagKey: (tag: string) => number | null
  records: ErrorRecords
  errorKeys: ReadonlyMap<string, ErrorKeys>
}

const MANY_ROWS = 1024

/** Inserts tags, attempts and errors of phases, some at a time. */
export async function insertTestFacts(
  transaction: Transaction,
  scope: FactsInsert,
  phases: readonly FactsOfPhase[],
): Promise<void> {
  const rows: FactRows = { tags: [], attempts: [], errors: [] }
  for (const phase of phases) {
    addRows(rows, scope, phase)
    if (rows.tags.length + rows.attempts.length + rows.errors.length >= MANY_ROWS)
      await insertFactRows(transaction, rows)
  }
  await insertFactRows(transaction, rows)
}

type FactRows = Record<'tags' | 'attempts' | 'errors', SqlValue[][]>

function addRows(rows: FactRows, { runId, tagKey, records, errorKeys }: FactsInsert, phase: FactsOfPhase) {
  const { phaseId, retryCount, facts, nameId, fileId, projectId } = phase
  const tags = [...facts.tags.map((type) => ({ type, description: null })), ...facts.annotations]
  for (const [index, { type, description }] of tags.entries())
    rows.tags.push([runId, phaseId, index, tagKey(type), description])
  for (const { number, outcome, startedAtUs, durationUs, worker, moreErrors } of facts.attempts)
    rows.attempts.push([runId, phaseId, number, outcome, startedAtUs, durationUs, worker, moreErrors])
  for (const { number, errors } of [{ number: retryCount, errors: facts.errors }, ...facts.attempts])
    for (const [index, error] of errors.entries()) {
      const keys = errorKeys.get(records.get(error)?.digest ?? '')
      const [id, groupId] = [keys?.id ?? null, keys?.groupId ?? null]
      rows.errors.push([runId, phaseId, number, index, id, groupId, nameId, fileId, projectId])
    }
}

async function insertFactRows(transaction: Transaction, { tags, attempts, errors }: FactRows): Promise<void> {
  const insert = (table: string, columns: readonly string[], rows: SqlValue[][]) =>
    insertRows(transaction, { table, columns, rows: rows.splice(0) })
  await insert('phase_tags', ['run_id', 'phase_id', 'position', 'tag_id', 'description'], tags)
  await insert('phase_attempts', ATTEMPT_COLUMNS, attempts)
  await insert('phase_errors', ERROR_COLUMNS, errors)
}

const ATTEMPT_COLUMNS = [
  'run_id',
  'phase_id',
  'attempt',
  'outcome',
  'started_at_us',
  'duration_us',
  'worker',
  'more_errors',
]
const ERROR_COLUMNS = [
  'run_id',
  'phase_id',
  'attempt',
  'position',
  'error_id',
  'group_id',
  'definition_id',
  'file_id',
  'project_id',
]

/** Columns of phases that say something of their test. */
export const FACT_COLUMNS = [
  'kind',
  'parent_index',
  'file_id',
  'line',
  'column_number',
  'owner_id',
  'worker',
  'snippet',
  'more_errors',
]

export function factValues(facts: PhaseFacts, nameKey: (name?: string) => number | null): SqlValue[] {
  const { kind, parentIndex, location, owner, worker, snippet, moreErrors } = facts
  return [
    kind,
    parentIndex,
    nameKey(location?.file),
    location?.line ?? null,
    location?.column ?? null,
    nameKey(owner),
    worker,
    snippet,
    moreErrors,
  ]
}

/** Deletes at most this many errors of these runs, and what no run refers to any more; returns whether that was all. */
export async function deleteErrorsOfRuns(
  query: Query,
  runIds: readonly number[],
  limit: number,
): Promise<boolean> {
  const key = sql`run_id, phase_id, attempt, position`
  const { rows } = await sql<{ error_id: number }>`DELETE FROM phase_errors WHERE (${key}) IN (
      SELECT ${key} FROM phase_errors WHERE ${isInList(query, 'run_id', runIds)}
      LIMIT ${limit}
    ) RETURNING error_id`.execute(query)
  await deleteUnusedErrors(query, [...new Set(rows.map(({ error_id: id }) => id))])
  return rows.length < limit
}

/** Deletes errors that no run refers to, and empty groups, so that search cannot find deleted data. */
async function deleteUnusedErrors(query: Query, ids: readonly number[]): Promise<void> {
  for (const chunk of inChunks(ids)) {
    const deleted = await query
      .deleteFrom('errors')
      .where('id', 'in', chunk)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('phase_errors').select('run_id').whereRef('error_id', '=', 'errors.id'))),
      )
      .returning('group_id')
      .execute()
    const groups = [...new Set(deleted.map(({ group_id: id }) => id))]
    if (groups.length === 0) continue
    await query
      .deleteFrom('error_groups')
      .where('id', 'in', groups)
      .where(({ not, exists, selectFrom }) =>
        not(exists(selectFrom('errors').select('errors.id').whereRef('group_id', '=', 'error_groups.id'))),
      )
      .execute()
  }
}
