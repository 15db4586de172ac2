// The PostgreSQL of the tests, for benches and attacks; with it, what is committed is on the disk.
import path from 'node:path'
import { Client, types } from 'pg'
import { runnerImport } from 'vite'
import { REPOSITORY } from './start-service.mjs'

/** What a file of TypeScript exports: Node 20 reads none by itself. @param {string} file */
export async function importTypeScript(file) {
  const { module } = await runnerImport(path.join(REPOSITORY, file))
  return module
}

/** @returns {Promise<import('../support/postgres').Postgres>} */
export async function startPostgres() {
  const tests = await importTypeScript('test/support/postgres.ts')
  return tests.startPostgres({ isSynced: true })
}

const { INT8 } = types.builtins

/** A connection on which statements are sent without waiting, and keys are numbers, as the service has them. */
export async function connect(url) {
  const getTypeParser = (id, format) => (id === INT8 ? Number : types.getTypeParser(id, format))
  const client = new Client({ connectionString: url, types: { getTypeParser }, pipeline: true })
  // A connection that breaks fails what was sent on it; an event without a listener would end the process.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Names of the columns of each table, those that migrations keep for themselves left out. @returns {Promise<Map<string, string[]>>} */
export async function readTables(client) {
  const { rows } = await client.query(`SELECT table_name AS name, array_agg(column_name::text) AS columns
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name <> 'applied_migrations'
    GROUP BY table_name ORDER BY table_name`)
  return new Map(rows.map(({ name, columns }) => [name, columns]))
}
