import { sql } from 'kysely'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { US_PER_MS } from '../clock'
import type { Query } from '../database/database'
import { firstKeyAt } from '../database/keys'
import { DATABASE_FILE, loadSqlite, type SqliteConnection, type SqlValue } from '../database/sqlite-driver'
import { StartError } from '../errors'

/** Bytes as the database has them on record. */
export interface BlobRow {
  sha256: string
  size_bytes: number
  reference_count: number
}

export interface DataCounts {
  runs: number
  attachments: number
  blobs: number
  /** Bytes of attachments, equal bytes counted once. */
  bytes: number
}

type ProblemKind = 'database' | 'run' | 'attachment' | 'idempotency' | 'bytes'

export interface Problem {
  kind: ProblemKind
  message: string
}

/** What must hold for rows, beside foreign keys. Each text is one statement, and so sees one state of the database. */
const RULES: readonly { kind: ProblemKind; text: string }[] = [
  {
    kind: 'run',
    text: `SELECT count(*) || ' runs have the id ' || public_id AS message
      FROM runs GROUP BY public_id HAVING count(*) > 1`,
  },
  {
    kind: 'run',
    text: `SELECT 'run ' || runs.public_id || ' has a measurement of a phase that is not there' AS message
      FROM measurements JOIN runs ON runs.id = measurements.run_id
      WHERE NOT EXISTS (
        SELECT 1 FROM phases
        WHERE phases.run_id = measurements.run_id AND phases.id = measurements.phase_id
      )`,
  },
  ...['phases', 'measurements'].map((table) => ({
    kind: 'run' as const,
    text: `SELECT 'run ' || runs.public_id || ' has ${table} whose name is not there' AS message
      FROM ${table} JOIN runs ON runs.id = ${table}.run_id
      WHERE NOT EXISTS (SELECT 1 FROM definitions WHERE definitions.id = ${table}.definition_id)
      GROUP BY runs.id`,
  })),
  {
    kind: 'idempotency',
    text: `SELECT 'the idempotency key of run ' || runs.public_id || ' answers another run' AS message
      FROM idempotency_keys JOIN runs ON runs.id = idempotency_keys.run_id
      WHERE json_extract(idempotency_keys.answer, '$.id') IS NOT runs.public_id`,
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

/** The database of a data folder or of a backup, for reading. A service may be writing to it meanwhile. */
export class DataStore {
  readonly #connection: SqliteConnection

  constructor(connection: SqliteConnection) {
    this.#connection = connection
  }

  /** What SQLite itself finds wrong, foreign keys included. */
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
    for (const { kind, text } of RULES)
      for (const { message } of this.#each<{ message: string }>(text)) yield { kind, message }
  }

  /** The bytes whose digest begins with these digits, in order. */
  listBlobs(prefix: string): BlobRow[] {
    const text = `SELECT sha256, size_bytes, reference_count FROM blobs
      WHERE sha256 >= ? AND sha256 < ? ORDER BY sha256`
    return [...this.#each<BlobRow>(text, prefix, `${prefix}g`)]
  }

  findBlob(sha256: string): BlobRow | undefined {
    const text = 'SELECT sha256, size_bytes, reference_count FROM blobs WHERE sha256 = ?'
    return [...this.#each<BlobRow>(text, sha256)][0]
  }

  count(): DataCounts {
    // A backup may be of a version that had no such view.
    const isView = "SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = 'live_runs'"
    const runs = [...this.#each(isView)].length > 0 ? 'live_runs' : 'runs'
    const text = `SELECT (SELECT count(*) FROM ${runs}) AS runs, (SELECT count(*) FROM attachments) AS attachments,
      count(*) AS blobs, coalesce(sum(size_bytes), 0) AS bytes FROM blobs`
    return [...this.#each<DataCounts>(text)][0] as DataCounts
  }

  /** Writes the database as it is now to an empty file. */
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

/** @throws StartError when there is no database in the folder */
export async function openData(folder: string, file = DATABASE_FILE): Promise<DataStore> {
  const path = join(folder, file)
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

/**
 * Takes what lets somebody in out of the copy of a database: the secret that signs addresses, and open sessions. Keys
 * stay, as hashes.
 */
export async function removeSecrets(path: string): Promise<void> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path)
  try {
    // Overwritten with zeros: deleted rows would stay readable in the file.
    connection.exec('PRAGMA secure_delete=ON')
    connection.exec(`BEGIN; DELETE FROM settings WHERE name = 'internal.signing_secret';
      DELETE FROM sessions; DELETE FROM sign_in_codes; COMMIT`)
  } finally {
    connection.close()
  }
}

interface OldRuns {
  procedureId: number
  /** Runs that were received before this time. */
  beforeUs: number
  /** Keys of a later time were made when the clock was ahead. */
  aheadUs: number
  /** Only keys above this one. */
  afterKey: number
  limit: number
}

/**
 * Keys of runs of a procedure that were received before a time, lowest first. Keys rise also when the clock is set back, so
 * a run with an old date and a young key was received under a wrong date. Keys that are ahead of the clock
 * tell nothing: it was ahead itself once.
 */
export async function listOldRuns(
  query: Query,
  { procedureId, beforeUs, aheadUs, afterKey, limit }: OldRuns,
) {
  const runs = await query
    .selectFrom('live_runs')
    .select('id')
    .where('procedure_id', '=', procedureId)
    .where('created_at_us', '<', beforeUs)
    .where('id', '>', afterKey)
    .where((where) => where.or([where('id', '<', keyAt(beforeUs)), where('id', '>', keyAt(aheadUs))]))
    .orderBy('id')
    .limit(limit)
    .execute()
  return runs.map(({ id }) => id)
}

function keyAt(timeUs: number): number {
  return firstKeyAt(Math.floor(timeUs / US_PER_MS))
}

/** Identifiers and ids of all procedures, with their keys. */
export function listProcedureNames(query: Query) {
  return query.selectFrom('live_procedures').select(['id', 'public_id', 'identifier_folded']).execute()
}

const TIME_SETTING = 'internal.retention_time_us'

/** The time that retention counts from, as the last clean-up left it. */
export async function readRetentionTime(query: Query): Promise<number | undefined> {
  const row = await query
    .selectFrom('settings')
    .select('value')
    .where('name', '=', TIME_SETTING)
    .executeTakeFirst()
  return row === undefined ? undefined : Number(row.value)
}

export async function writeRetentionTime(query: Query, timeUs: number): Promise<void> {
  await query
    .insertInto('settings')
    .values({ name: TIME_SETTING, value: String(timeUs) })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value: sql`max(CAST(excluded.value AS integer), CAST(settings.value AS integer))` }),
    )
    .execute()
}

/** How many deleted procedures, units and runs have rows that are still to go. */
export async function countPendingDeletions(query: Query): Promise<number> {
  const { pending } = await query
    .selectFrom('deletions')
    .select((select) => select.fn.countAll<number>().as('pending'))
    .executeTakeFirstOrThrow()
  return Number(pending)
}
