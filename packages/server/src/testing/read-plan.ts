import { join } from 'node:path'
import type { Query } from '../storage/database/database'
import { createKysely } from '../storage/database/kysely'
import { loadSqlite } from '../storage/database/sqlite/sqlite-driver'
import { SQLITE } from '../storage/database/sqlite/sqlite-engine'
import { DATABASE_FILE } from '../storage/folder/data-folder'

/** How SQLite would read what `list` asks for: the lines of its query plans, in order. */
export async function readPlan(dataDir: string, list: (query: Query) => Promise<unknown>): Promise<string[]> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(dataDir, DATABASE_FILE), { readOnly: true })
  const steps: string[] = []
  const query = createKysely(SQLITE, ([sql, values]) => {
    const plan = connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...values) as { detail: string }[]
    steps.push(...plan.map(({ detail }) => detail))
    return Promise.resolve({ rows: connection.prepare(sql).all(...values) })
  })
  await list(query)
  connection.close()
  return steps
}
