// service-bare.mjs SOURCE TARGET IDS: inserts the rows of these runs of one database into another, a transaction for each
// run, with nothing but the driver; prints runs a second. Their names and units are in both databases already.
import { readFileSync } from 'node:fs'
import { Inserter, loadSqlite } from './sqlite.mjs'

const [source, target, list] = process.argv.slice(2)
const ids = JSON.parse(readFileSync(list, 'utf8'))
const { DatabaseSync } = await loadSqlite()
const database = new DatabaseSync(target)
const knownValues = new Set(
  database
    .prepare('SELECT id FROM metadata_values')
    .all()
    .map(({ id }) => id),
)
const runs = readRuns(new DatabaseSync(source, { readOnly: true }), ids)
// As the service sets them.
for (const pragma of [
  'journal_mode=WAL',
  'synchronous=FULL',
  'foreign_keys=ON',
  'cache_size=-32768',
  'wal_autocheckpoint=8000',
])
  database.exec(`PRAGMA ${pragma}`)
const inserter = new Inserter(database)
const startedAt = performance.now()
for (const tables of runs) {
  database.exec('BEGIN IMMEDIATE')
  for (const [table, rows] of tables) inserter.insert(table, rows)
  database.exec('COMMIT')
}
console.log(ids.length / ((performance.now() - startedAt) / 1000))

/** For each run its rows by table, of every table that has some. */
function readRuns(from, publicIds) {
  const tables = from
    .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`)
    .all()
    .map(({ name }) => name)
    .filter(
      (name) =>
        from.prepare(`SELECT count(*) AS found FROM pragma_table_info('${name}') WHERE name = 'run_id'`).get()
          .found,
    )
  const select = tables.map((name) => [name, from.prepare(`SELECT * FROM ${name} WHERE run_id = ?`)])
  const findRun = from.prepare('SELECT * FROM runs WHERE public_id = ?')
  return publicIds.map((publicId) => {
    const run = findRun.get(publicId)
    const rows = select.map(([name, statement]) => [name, statement.all(run.id)])
    return [['runs', [run]], ['metadata_values', readNewValues(from, run.id)], ...rows]
  })
}

/** Entries of its metadata that no run had before. */
function readNewValues(from, runId) {
  const text = `SELECT metadata_values.* FROM metadata_values
    JOIN run_metadata ON run_metadata.value_id = metadata_values.id WHERE run_metadata.run_id = ?`
  const values = from.prepare(text).all(runId)
  const unknown = values.filter(({ id }) => !knownValues.has(id))
  for (const { id } of unknown) knownValues.add(id)
  return unknown
}
