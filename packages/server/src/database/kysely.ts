import { Kysely, SqliteDialect } from 'kysely'
import type { Schema } from './schema'
import type { SqliteConnection, SqlValue } from './sqlite-driver'

const RETURNS_ROWS = /^\s*(?:select|with|pragma|values)\b|\breturning\b/i

/** Kysely over one SQLite connection, for reads, filters and small writes. */
export function createKysely(connection: SqliteConnection): Kysely<Schema> {
  const database = {
    close: () => undefined,
    prepare: (sql: string) => prepareForKysely(connection, sql),
  }
  return new Kysely<Schema>({ dialect: new SqliteDialect({ database }) })
}

function prepareForKysely(connection: SqliteConnection, sql: string) {
  const statement = connection.prepare(sql)
  const bind = (values: readonly unknown[]): SqlValue[] => values as SqlValue[]
  return {
    reader: RETURNS_ROWS.test(sql),
    all: (values: readonly unknown[]) => statement.all(...bind(values)),
    run: (values: readonly unknown[]) => statement.run(...bind(values)),
    iterate: (values: readonly unknown[]) => statement.iterate(...bind(values)),
  }
}
