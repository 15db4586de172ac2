export type SqlValue = string | number | null | Uint8Array

/** The part of a prepared statement that `node:sqlite` and its twin share. */
export interface SqliteStatement {
  all(...values: SqlValue[]): unknown[]
  run(...values: SqlValue[]): { changes: number | bigint; lastInsertRowid: number | bigint }
  iterate(...values: SqlValue[]): IterableIterator<unknown>
}

export interface SqliteConnection {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

interface SqliteModule {
  DatabaseSync: new (path: string, options?: { readOnly?: boolean }) => SqliteConnection
}

/**
 * Loads `node:sqlite` where Node has it (22.13 and later), else its twin with the same interface, which needs no
 * install script.
 */
export async function loadSqlite(): Promise<SqliteModule> {
  const builtIn = withoutExperimentalWarning(() => process.getBuiltinModule('node:sqlite'))
  if (builtIn) return builtIn as unknown as SqliteModule
  return (await import('@photostructure/sqlite')) as unknown as SqliteModule
}

// Node 22 and 24 print an ExperimentalWarning when the module is first loaded; an operator can do nothing about it.
function withoutExperimentalWarning<Result>(load: () => Result): Result {
  const original = process.emitWarning
  process.emitWarning = () => undefined
  try {
    return load()
  } finally {
    process.emitWarning = original
  }
}

/** A connection that prepares each text once: the run-creation path sends the same few texts again and again. */
export class CachingConnection implements SqliteConnection {
  readonly #connection: SqliteConnection
  readonly #statements = new Map<string, SqliteStatement>()
  readonly #maxStatements: number

  constructor(connection: SqliteConnection, maxStatements = 300) {
    this.#connection = connection
    this.#maxStatements = maxStatements
  }

  exec(sql: string): void {
    this.#connection.exec(sql)
  }

  prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql)
    if (known) return known
    if (this.#statements.size >= this.#maxStatements) this.#statements.clear()
    const statement = this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  close(): void {
    this.#statements.clear()
    this.#connection.close()
  }
}
