import path from 'node:path'
import { DATABASE_FILE } from '../../packages/server/src/database/sqlite-database'
import { loadSqlite } from '../../packages/server/src/database/sqlite-driver'

/** How many rows each table of a service has, read from its database file beside the service. */
export async function countRows(dataDir: string): Promise<Record<string, number>> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(path.join(dataDir, DATABASE_FILE), { readOnly: true })
  try {
    const tables = connection
      .prepare(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
      )
      .all() as { name: string }[]
    const counts = tables.map(({ name }) => {
      const [row] = connection.prepare(`SELECT count(*) AS count FROM "${name}"`).all() as { count: number }[]
      return [name, row?.count ?? 0] as const
    })
    return Object.fromEntries(counts)
  } finally {
    connection.close()
  }
}
