import { sql } from 'kysely'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Query, SqlValue } from '../storage/database/database'
import { isOwnedByPostgres } from '../storage/database/places/folder-owner'
import { loadSqlite, type SqliteConnection } from '../storage/database/sqlite/sqlite-driver'
import { UNFINISHED } from '../storage/database/places/unfinished'
import { StartError } from '../base/errors'
import { DIFFERENT_LINE } from '../record/results/line/line-store'
import { DIFFERENT_DAYS } from '../record/results/history/result-store'
import { DATABASE_FILE } from '../storage/folder/data-folder'
import { readInternal } from '../storage/database/internal-settings'

export interface BlobRow {
  sha256: string
  object_name: string
  size_bytes: number
  reference_count: number
}

export interface DataCounts {
  runs: number
  attachments: number
  blobs: number
  /** Equal bytes count once. */
  bytes: number
}

type ProblemKind = 'database' | 'run' | 'attachment' | 'idempotency' | 'bytes'

export interface Problem {
  kind: ProblemKind
  message: string
}

export interface Rule {
  kind: ProblemKind
  text: string
}

function ofRuns(table: string, says: string, isBroken: string): Rule {
  const text = `SELECT 'run ' || runs.public_id || ' has ${says}' AS message
    FROM ${table} JOIN runs ON runs.id = ${table}.run_id WHERE ${isBroken} GROUP BY runs.id`
  return { kind: 'run', text }
}

const TEXTS_OF_RUNS = [
  ['phases', 'definition_id'],
  ['phases', 'file_id'],
  ['phases', 'owner_id'],
  ['measurements', 'definition_id'],
  ['phase_tags', 'tag_id'],
  ['phase_errors', 'definition_id'],
  ['phase_errors', 'file_id'],
  ['phase_errors', 'project_id'],
] as const

/** Beside foreign keys. Each rule is one statement, and so sees one state of the database. */
export const RULES: readonly Rule[] = [
  {
    kind: 'database',
    text: `SELECT 'the move of a record to this place is not complete' AS message
      FROM settings WHERE name = '${UNFINISHED}'`,
  },
  {
    kind: 'run',
    text: `SELECT count(*) || ' runs have the id ' || public_id AS message
      FROM runs GROUP BY public_id HAVING count(*) > 1`,
  },
  ...['measurements', 'phase_errors', 'phase_attempts', 'phase_tags'].map((table) =>
    ofRuns(
      table,
      `${table} of a phase that is not there`,
      `NOT EXISTS (SELECT 1 FROM phases WHERE phases.run_id = ${table}.run_id AND phases.id = ${table}.phase_id)`,
    ),
  ),
  ...TEXTS_OF_RUNS.map(([table, column]) =>
    ofRuns(
      table,
      `${table} whose ${column === 'definition_id' ? 'name' : column} is not there`,
      `${table}.${column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM definitions WHERE definitions.id = ${table}.${column})`,
    ),
  ),
  ofRuns(
    'phases',
    'a phase that belongs to none of its phases',
    'parent_index >= (SELECT count(*) FROM phases AS all_phases WHERE all_phases.run_id = runs.id)',
  ),
  ofRuns(
    'phase_errors',
    'an error that is counted with others',
    'group_id <> (SELECT group_id FROM errors WHERE errors.id = error_id)',
  ),
  {
    kind: 'run',
    text: `SELECT count(*) || ' errors are of no run' AS message FROM errors
      WHERE NOT EXISTS (SELECT 1 FROM phase_errors WHERE error_id = errors.id) HAVING count(*) > 0`,
  },
  {
    kind: 'run',
    text: `SELECT 'run ' || public_id || ' is listed with an error that it has not' AS message
      FROM live_runs AS runs WHERE first_error_id IS NOT NULL AND first_error_id NOT IN
        (SELECT error_id FROM phase_errors WHERE phase_errors.run_id = runs.id)`,
  },
  {
    kind: 'run',
    text: `SELECT count(*) || ' results of tests are of no run' AS message FROM test_results
      WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = test_results.run_id) HAVING count(*) > 0`,
  },
  {
    kind: 'run',
    text: `SELECT count(*) || ' roll-ups of tests differ from a recount: run "runledger rebuild-rollups"' AS message
      FROM (${DIFFERENT_DAYS}) AS different HAVING count(*) > 0`,
  },
  {
    kind: 'run',
    text: `SELECT count(*) || ' roll-ups of the line differ from a recount: run "runledger rebuild-rollups"' AS message
      FROM (${DIFFERENT_LINE}) AS different HAVING count(*) > 0`,
  },
  {
    kind: 'idempotency',
    text: `SELECT 'the idempotency key of run ' || runs.public_id || ' answers another run' AS message
      FROM idempotency_keys JOIN runs ON runs.id = idempotency_keys.run_id
      WHERE idempotency_keys.answer NOT LIKE '%"id":"' || runs.public_id || '"%'`,
  },
  {
    kind: 'attachment',
    text: `SELECT 'attachment ' || public_id || ' is linked, but its bytes were never received' AS message
      FROM attachments WHERE sha256 IS NULL AND (run_id IS NOT NULL OR unit_id IS NOT NULL)`,
  },
  {
    kind: 'attachment',
    text: `WITH used AS (
        SELECT sha256, count(*) AS attachments FROM attachments WHERE sha256 IS NOT NULL GROUP BY sha256
      )
      SELECT 'bytes ' || blobs.sha256 || ' are counted for ' || reference_count || ' attachments, but '
        || coalesce(attachments, 0) || ' have them' AS message
      FROM blobs LEFT JOIN used ON used.sha256 = blobs.sha256
      WHERE reference_count <> coalesce(attachments, 0)`,
  },
]

/** PostgreSQL has an index in the place of this table. */
const RULE_OF_SQLITE: Rule = {
  kind: 'database',
  text: `SELECT count(*) || ' errors are not found by their messages' AS message FROM errors
    WHERE id NOT IN (SELECT rowid FROM error_search) HAVING count(*) > 0`,
}

export interface CheckedRows {
  listDatabaseProblems(): Iterable<Problem> | AsyncIterable<Problem>
  listRuleProblems(): Iterable<Problem> | AsyncIterable<Problem>
  /** Of digests that begin with these digits, in order. */
  listBlobs(prefix: string): BlobRow[] | Promise<BlobRow[]>
  isNamed(name: string): boolean | Promise<boolean>
  count(): DataCounts | Promise<DataCounts>
}

/** Of a data folder or a backup, to which a service may be writing. */
export class DataStore implements CheckedRows {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** Foreign keys included. */
  *listDatabaseProblems(): Generator<Problem> {
    for (const row of this.#each<{ integrity_check: string }>('PRAGMA integrity_check'))
      if (row.integrity_check !== 'ok') yield { kind: 'database', message: row.integrity_check }
    for (const row of this.#each<{ table: string; parent: string }>('PRAGMA foreign_key_check'))
      yield {
        kind: 'database',
        message: `a row of ${row.table} names a row of ${row.parent} that is not there`,
      }
  }

  *listRuleProblems(): Generator<Problem> {
    for (const { kind, text } of [...RULES, RULE_OF_SQLITE])
      for (const { message } of this.#each<{ message: string }>(text)) yield { kind, message }
  }

  listBlobs(prefix: string): BlobRow[] {
    const text = `SELECT sha256, object_name, size_bytes, reference_count FROM blobs
      WHERE sha256 >= ? AND sha256 < ? ORDER BY sha256`
    return [...this.#each<BlobRow>(text, prefix, `${prefix}g`)]
  }

  isNamed(name: string): boolean {
    const text = 'SELECT 1 FROM blobs WHERE object_name = ? AND reference_count > 0'
    return [...this.#each(text, name)].length > 0
  }

  count(): DataCounts {
    const text = `SELECT (SELECT count(*) FROM live_runs) AS runs, (SELECT count(*) FROM attachments) AS attachments,
      count(*) AS blobs, coalesce(sum(size_bytes), 0) AS bytes FROM blobs`
    return [...this.#each<DataCounts>(text)][0] as DataCounts
  }

  /** The file must be empty. */
  copyTo(path: string): void {
    this.#connection.prepare('VACUUM INTO ?').run(path)
  }

  close(): void {
    this.#connection.close()
  }

  #each<Row>(text: string, ...values: SqlValue[]): Iterable<Row> {
    return this.#connection.prepare(text).iterate(...values) as Iterable<Row>
  }
}

/** @throws StartError without a database */
export async function openData(folder: string, file = DATABASE_FILE): Promise<DataStore> {
  const path = join(folder, file)
  if (isOwnedByPostgres(folder)) throw recordsInPostgresError(folder)
  if (!existsSync(path)) throw new StartError(`There is no Runledger data in ${folder}: it has no ${file}.`)
  const { DatabaseSync } = await loadSqlite()
  try {
    const connection = new DatabaseSync(path, { readOnly: true })
    connection.exec('PRAGMA busy_timeout=5000')
    return new DataStore(connection)
  } catch (error) {
    throw new StartError(`${path} cannot be opened: ${(error as Error).message}.`, { cause: error })
  }
}

function recordsInPostgresError(folder: string): StartError {
  return new StartError(
    `The records that go with ${folder} are in a PostgreSQL database. "runledger check" reads it with --database (RUNLEDGER_DATABASE); copy it with pg_dump.`,
  )
}

/** Removes the secret that signs addresses, and open sessions. Keys stay as hashes. */
export async function removeSecrets(path: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path)
  try {
    // Overwrites deleted rows, which would stay readable in the file.
    connection.exec('PRAGMA secure_delete=ON')
    connection.exec(`BEGIN; DELETE FROM settings WHERE name = 'internal.signing_secret';
      DELETE FROM sessions; DELETE FROM sign_in_codes; COMMIT`)
  } finally {
    connection.close()
  }
}

export function listProcedureNames(query: Query) {
  return query.selectFrom('live_procedures').select(['id', 'public_id', 'identifier_folded']).execute()
}

const TIME_SETTING = 'internal.retention_time_us'

/** Ages are counted from this time, as the last clean-up left it. */
export async function readRetentionTime(query: Query): Promise<number | undefined> {
  return (await readInternal(query, TIME_SETTING)) as number | undefined
}

export async function writeRetentionTime(query: Query, timeUs: number): Promise<void> {
  await query
    .insertInto('settings')
    .values({ name: TIME_SETTING, value: String(timeUs) })
    .onConflict((conflict) =>
      conflict.columns(['name', 'organisation_id']).doUpdateSet({
        value: sql`CASE WHEN CAST(excluded.value AS bigint) > CAST(settings.value AS bigint)
          THEN excluded.value ELSE settings.value END`,
      }),
    )
    .execute()
}
