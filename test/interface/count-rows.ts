import path from 'node:path'
import { loadSqlite } from '../../packages/server/src/storage/database/sqlite/sqlite-driver'
import type { TestServer } from '../../packages/server/src/testing/start-test-server'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { DATABASE_FILE } from '../../packages/server/src/storage/folder/data-folder'

type Counts = Record<string, number>

/** Counts the rows of every table of a service, in its database beside the service. */
export interface RowCounter {
  count(): Promise<Counts>
  close(): Promise<void>
}

export function openRowCounter({ dataDir, database }: TestServer): Promise<RowCounter> {
  return database === undefined ? openSqliteCounter(dataDir) : openPostgresCounter(database)
}

async function openSqliteCounter(dataDir: string): Promise<RowCounter> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { readOnly: true })
  const tables = connection
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all() as { name: string }[]
  const counts = connection.prepare(selectCounts(tables))
  return {
    count: () => Promise.resolve({ ...(counts.all()[0] as Counts) }),
    close: () => Promise.resolve(connection.close()),
  }
}

async function openPostgresCounter(url: string): Promise<RowCounter> {
  const client = await connectToDatabase(url)
  const { rows: tables } = await client.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1',
  )
  const text = selectCounts(tables)
  return {
    count: async () => {
      const { rows } = await client.query<Record<string, string>>(text)
      return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, count]) => [name, Number(count)]))
    },
    close: () => client.end(),
  }
}

function selectCounts(tables: readonly { name: string }[]): string {
  return `SELECT ${tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`).join(', ')}`
}
