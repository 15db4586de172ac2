import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { StartError } from '../../../base/errors'
import type { SqlValue } from '../database'

export type SqliteConnection = InstanceType<SqliteModule['DatabaseSync']>

/** What `node:sqlite` and its twin share. */
interface SqliteModule {
  DatabaseSync: new (
    path: string,
    options?: { readOnly?: boolean },
  ) => {
    exec(sql: string): void
    prepare(sql: string): {
      all(...values: unknown[]): unknown[]
      run(...values: unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint }
      iterate(...values: unknown[]): IterableIterator<unknown>
    }
    close(): void
  }
}

/** `node:sqlite`, or its twin where that lacks the search index (FTS5: not yet in 22.13). The twin needs no install script. */
export function sqliteModuleName(): string {
  return findBuiltIn() ? 'node:sqlite' : '@photostructure/sqlite'
}

export async function loadSqlite(): Promise<SqliteModule> {
  return findBuiltIn() ?? ((await import('@photostructure/sqlite')) as unknown as SqliteModule)
}

// Node 22 and 24 print an ExperimentalWarning at the first load; operators can do nothing about it.
function findBuiltIn(): SqliteModule | undefined {
  const original = process.emitWarning
  process.emitWarning = () => undefined
  try {
    const builtIn = process.getBuiltinModule('node:sqlite') as unknown as SqliteModule | undefined
    return builtIn && hasSearchIndex(builtIn) ? builtIn : undefined
  } finally {
    process.emitWarning = original
  }
}

function hasSearchIndex({ DatabaseSync }: SqliteModule): boolean {
  const connection = new DatabaseSync(':memory:')
  const [row] = connection.prepare(`SELECT sqlite_compileoption_used('ENABLE_FTS5') AS used`).all()
  connection.close()
  return (row as { used: number }).used === 1
}

/** The twin (1.2.1) stores a number that is barely above 0 as the integer 0; a numeric column converts the text. */
export function toBindable(value: SqlValue): SqlValue {
  const isTiny = typeof value === 'number' && value > 0 && value < Number.EPSILON
  return isTiny ? String(value) : value
}

export const LOCK_FILE = 'lock.db'

/** The operating system releases the lock however the process ends. Returns what unlocks it. @throws StartError when taken */
export async function lockDataFolder(
  dataDir: string,
  busyMessage = `Another Runledger service uses the data folder ${dataDir}. Stop it first, or give another folder with --data.`,
): Promise<() => void> {
  const { DatabaseSync } = await loadSqlite()
  const file = join(dataDir, LOCK_FILE)
  // SQLite would create it readable by all users.
  await (await open(file, 'a', 0o600)).close()
  const connection = new DatabaseSync(file)
  try {
    connection.exec('PRAGMA busy_timeout=0')
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection.close()
    if (!isBusy(error)) throw error
    throw new StartError(busyMessage, { cause: error })
  }
  return () => connection.close()
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked/i.test(error.message)
}
