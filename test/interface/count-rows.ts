import path from 'node:path'
import { DATABASE_FILE, loadSqlite } from '../../packages/server/src/database/sqlite-driver'

/** Counts the rows of every table of a service, in its database file beside the service. */
export interface RowCounter {
  count(): Record<string, number>
  close(): void
}

export async function openRowCounter(dataDir: string): Promise<RowCounter> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { readOnly: true })
  const tables = connection
    .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name")
    .all() as { name: string }[]
  const counts = connection.prepare(
    `SELECT ${tables.map(({ name }) => `(SELECT count(*) FROM "${name}") AS "${name}"`).join(', ')}`,
  )
  return {
    count: () => ({ ...(counts.all()[0] as Record<string, number>) }),
    close: () => connection.close(),
  }
}
