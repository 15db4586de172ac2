import { chmod, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { version } from '../../../base/version'
import { syncFile, syncFolder } from '../../folder/blob-files'
import { systemClock } from '../../../base/clock'
import { StartError } from '../../../base/errors'
import type { Log } from '../../../base/log'
import { refuseEmptyDatabase } from '../places/folder-owner'
import { CREATE_LIVE_VIEWS, DROP_LIVE_VIEWS } from '../live-views'
import { MIGRATIONS } from '../migrations'
import type { Migration } from '../migrations/migration'
import { loadSqlite, type SqliteConnection } from './sqlite-driver'
import { DATABASE_FILE, MARK_FILE } from '../../folder/data-folder'

export const MIGRATIONS_TABLE = 'applied_migrations'

export const CREATE_MIGRATIONS_TABLE = `CREATE TABLE IF NOT EXISTS ${MIGRATIONS_TABLE}
  (name text PRIMARY KEY, applied_at_us bigint NOT NULL)`

/** An older release names it as the one to go back to. */
export const MADE_BY = 'internal.made_by'

export interface MigrateOptions {
  /** An upgrade takes minutes for a large database. */
  log?: Log
  migrations?: readonly Migration[]
}

/**
 * Creates or upgrades the database of a data folder: all or nothing. Leaves a copy of the former one beside it. Nobody else may
 * have the folder meanwhile. @throws StartError for a newer database, and for a full disk
 */
export async function migrate(
  dataDir: string,
  { log, migrations = MIGRATIONS }: MigrateOptions = {},
): Promise<void> {
  const path = join(dataDir, DATABASE_FILE)
  await (await open(path, 'a', 0o600)).close()
  await chmod(path, 0o600).catch(() => undefined)
  const applied = await withConnection(path, readApplied)
  const newer = applied.names.filter((name) => !migrations.some((migration) => migration.name === name))
  if (newer.length > 0) {
    await withConnection(path, emptyWriteAheadLog)
    throw newerDatabaseError(dataDir, applied.madeBy)
  }
  if (applied.names.length === 0) await refuseEmptyDatabase(dataDir)
  const next = migrations.find(({ name }) => !applied.names.includes(name))
  if (!next) return
  const copy = applied.names.length > 0 ? `${path}.before-${next.name}` : undefined
  try {
    if (copy === undefined)
      return await withConnection(path, (connection) => applyAll(connection, migrations))
    log?.warn(
      `Bringing the database up to Runledger ${version}; a large one takes minutes. A copy stays: ${copy}`,
    )
    await copyDatabase(path, copy)
    await withConnection(path, (connection) => applyAll(connection, migrations))
    log?.warn('The database is up to date.')
  } catch (error) {
    throw isFull(error) ? diskFullError(dataDir, error) : error
  }
}

async function withConnection<Result>(
  path: string,
  work: (connection: SqliteConnection) => Result | Promise<Result>,
): Promise<Result> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path)
  try {
    connection.exec('PRAGMA busy_timeout=5000')
    return await work(connection)
  } finally {
    connection.close()
  }
}

interface Applied {
  names: string[]
  madeBy: string | undefined
}

function readApplied(connection: SqliteConnection): Applied {
  const tables = readColumn(connection, `SELECT name FROM sqlite_master WHERE type = 'table'`)
  const [madeBy] = tables.includes('settings')
    ? readColumn(connection, `SELECT value FROM settings WHERE name = '${MADE_BY}'`)
    : []
  return {
    names: tables.includes(MIGRATIONS_TABLE)
      ? readColumn(connection, `SELECT name FROM ${MIGRATIONS_TABLE}`)
      : [],
    madeBy: madeBy === undefined ? undefined : (JSON.parse(madeBy) as string),
  }
}

function readColumn(connection: SqliteConnection, text: string): string[] {
  return connection
    .prepare(text)
    .all()
    .map((row) => String(Object.values(row as object)[0]))
}

/** SQLite would apply the log to whatever file replaces the database. */
function emptyWriteAheadLog(connection: SqliteConnection): void {
  connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
}

/** Copies one consistent state, while others read or write. */
async function copyDatabase(path: string, copy: string): Promise<void> {
  const unfinished = `${copy}.unfinished`
  await rm(unfinished, { force: true })
  try {
    await withConnection(path, (connection) => connection.prepare('VACUUM INTO ?').run(unfinished))
    await chmod(unfinished, 0o600)
    await syncFile(unfinished)
    await rename(unfinished, copy)
    await syncFolder(dirname(copy))
  } catch (error) {
    await rm(unfinished, { force: true })
    throw error
  }
}

/** Foreign keys are off: a recreated table is dropped while others refer to it. */
function applyAll(connection: SqliteConnection, migrations: readonly Migration[]): void {
  for (const pragma of ['journal_mode=WAL', 'synchronous=FULL', 'foreign_keys=OFF'])
    connection.exec(`PRAGMA ${pragma}`)
  connection.exec('BEGIN IMMEDIATE')
  try {
    const { names } = readApplied(connection)
    connection.exec(CREATE_MIGRATIONS_TABLE)
    for (const statement of DROP_LIVE_VIEWS) connection.exec(statement)
    for (const migration of migrations) if (!names.includes(migration.name)) apply(connection, migration)
    for (const statement of CREATE_LIVE_VIEWS) connection.exec(statement)
    connection
      .prepare('INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)')
      .run(MADE_BY, JSON.stringify(version))
    connection.exec('COMMIT')
  } catch (error) {
    rollBack(connection)
    throw error
  }
}

function apply(connection: SqliteConnection, { name, statements }: Migration): void {
  for (const statement of statements) connection.exec(statement)
  connection
    .prepare(`INSERT INTO ${MIGRATIONS_TABLE} (name, applied_at_us) VALUES (?, ?)`)
    .run(name, systemClock())
}

// A full disk makes SQLite roll back by itself.
function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK')
  } catch {
    return
  }
}

function newerDatabaseError(dataDir: string, madeBy = 'a newer release'): StartError {
  return new StartError(
    `The database in ${dataDir} was last served by Runledger ${madeBy}, which is newer than this one (${version}). Install that release, or remove ${DATABASE_FILE}, ${DATABASE_FILE}-wal, ${DATABASE_FILE}-shm and ${MARK_FILE} and put the copy from before it (${DATABASE_FILE}.before-…) in the place of ${DATABASE_FILE}: what came later is not in it.`,
  )
}

function isFull(error: unknown): boolean {
  const { code, errcode } = error as { code?: unknown; errcode?: unknown }
  return code === 'ENOSPC' || code === 'EDQUOT' || errcode === 13
}

function diskFullError(dataDir: string, cause: unknown): StartError {
  return new StartError(
    `The disk of ${dataDir} has no room to bring the database up to Runledger ${version}: that takes up to six times its size in addition. Nothing was changed. Free some space, then start again.`,
    { cause },
  )
}
