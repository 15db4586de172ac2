// A database of PostgreSQL with the records of a filled data folder, by COPY: `runledger migrate-storage` compares all that it moves,
// and takes minutes for what a bench needs at each start.
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { connect, importTypeScript, readTables } from './postgres.mjs'
import { loadSqlite } from './sqlite.mjs'
import { startService } from './start-service.mjs'

const CHARACTERS_AT_ONCE = 1_000_000

/**
 * Puts what `source`, a data folder, has on record into an empty database, and its files into `data`, a folder that goes with
 * that; `source` is gone then.
 * @param {string} source @param {string} url @param {string} data
 */
export async function moveToPostgres(source, url, data) {
  const startedAt = Date.now()
  await (await startService(['--database', url], { dataFolder: data })).stop()
  await fillDatabase(source, url)
  rmSync(path.join(data, 'blobs'), { recursive: true })
  renameSync(path.join(source, 'blobs'), path.join(data, 'blobs'))
  rmSync(source, { recursive: true })
  console.log(`  put into PostgreSQL in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`)
}

/** Fills the tables that the service made in a database with the rows of a data folder. */
async function fillDatabase(source, url) {
  const { DatabaseSync } = await loadSqlite()
  const records = new DatabaseSync(path.join(source, 'runledger.db'), { readOnly: true })
  const { findPostgres } = await importTypeScript('test/support/postgres.ts')
  const psql = path.join(findPostgres(), 'psql')
  const client = await connect(url)
  const tables = await readTables(client)
  // Which place has the bytes of the database stands there.
  tables.delete('settings')
  await client.query(`TRUNCATE ${[...tables.keys()].join(', ')}`)
  const file = path.join(source, 'rows')
  for (const [table, columns] of tables) copyTable(records, { psql, url, table, columns, file })
  await client.query('VACUUM (ANALYZE)')
  await client.query('CHECKPOINT')
  await client.end()
  records.close()
}

/** Of the columns, those that both have: the one database may have more of them. */
function copyTable(records, { psql, url, table, columns, file }) {
  const known = records
    .prepare(`SELECT name FROM pragma_table_info('${table}')`)
    .all()
    .map(({ name }) => name)
    .filter((name) => columns.includes(name))
  const list = known.join(', ')
  writeRows(file, records.prepare(`SELECT ${list} FROM ${table}`).iterate(), known)
  // What rows refer to may come after them.
  const env = { ...process.env, PGOPTIONS: '-c session_replication_role=replica' }
  const args = ['-q', '-v', 'ON_ERROR_STOP=1', '-c', `COPY ${table} (${list}) FROM STDIN`, url]
  const rows = openSync(file)
  const { status } = spawnSync(psql, args, { env, stdio: [rows, 'ignore', 'inherit'] })
  closeSync(rows)
  if (status !== 0) throw new Error(`psql ended with code ${status} while it filled ${table}`)
}

/** As COPY reads them. */
function writeRows(file, rows, columns) {
  const output = openSync(file, 'w')
  let text = ''
  for (const row of rows) {
    text += `${columns.map((name) => formatValue(row[name])).join('\t')}\n`
    if (text.length < CHARACTERS_AT_ONCE) continue
    writeSync(output, text)
    text = ''
  }
  writeSync(output, text)
  closeSync(output)
}

const ESCAPES = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function formatValue(value) {
  if (value === null) return '\\N'
  return typeof value === 'string'
    ? value.replaceAll(/[\\\n\r\t]/g, (found) => ESCAPES[found])
    : String(value)
}
