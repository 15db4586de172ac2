import path from 'node:path'
import { connectToDatabase } from '../../packages/server/src/testing/test-database'
import { loadSqlite } from '../bench/sqlite.mjs'

const AGE = '400 * 86400000000'

/** Makes runs look as if they had been received 400 days before, in the database of a service that is not running. */
export async function ageRuns(
  { dataDir, database }: { dataDir: string; database: string | undefined },
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  const list = ids.map((id) => `'${id}'`).join(', ')
  const statement = `UPDATE runs SET created_at_us = created_at_us - ${AGE} WHERE public_id IN (${list})`
  if (database === undefined) {
    const { DatabaseSync } = await loadSqlite()
    const connection = new DatabaseSync(path.join(dataDir, 'runledger.db'))
    connection.exec(statement)
    connection.close()
    return
  }
  const client = await connectToDatabase(database)
  await client.query(statement)
  await client.end()
}
