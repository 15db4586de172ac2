export type { SqlValue } from './database'

/** The name of the database in a data folder. */
export const DATABASE_FILE = 'runledger.db'

export type SqliteConnection = InstanceType<SqliteModule['DatabaseSync']>

/** The part of a connection that `node:sqlite` and its twin share. */
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

/**
 * `node:sqlite` where Node has it with the search index (FTS5: not yet in 22.13), else its twin with the same interface,
 * which needs no install script.
 */
export function sqliteModuleName(): string {
  return findBuiltIn() ? 'node:sqlite' : '@photostructure/sqlite'
}

export async function loadSqlite(): Promise<SqliteModule> {
  return findBuiltIn() ?? ((await import('@photostructure/sqlite')) as unknown as SqliteModule)
}

// Node 22 and 24 print an ExperimentalWarning when the module is first loaded; an operator can do nothing about it.
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
