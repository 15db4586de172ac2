// service-bare-postgres.mjs SOURCE TARGET IDS: inserts the rows of these runs of one database of PostgreSQL into another, a
// transaction for each run, with nothing but the driver, on one connection as the service does; prints runs a second. Their
// names and units are in both databases already.
import { readFileSync } from 'node:fs'
import { connect, readTables } from './postgres.mjs'

const ROWS_AT_ONCE = 128

const [source, target, list] = process.argv.slice(2)
const ids = JSON.parse(readFileSync(list, 'utf8'))
const [from, to] = [await connect(source), await connect(target)]
const { rows: known } = await to.query('SELECT id FROM metadata_values')
const knownValues = new Set(known.map(({ id }) => id))
const texts = new Map()
const runs = await readRuns()
const startedAt = performance.now()
for (const tables of runs) {
  // Sent without waiting for one another's answers, as the service's are.
  const sent = [
    to.query('BEGIN'),
    ...tables.flatMap(([table, rows]) => insert(table, rows)),
    to.query('COMMIT'),
  ]
  await Promise.all(sent)
}
console.log(ids.length / ((performance.now() - startedAt) / 1000))
await Promise.all([from.end(), to.end()])

/** For each run its rows by table, of every table that has some. */
async function readRuns() {
  const tables = [...(await readTables(from))].filter(([, columns]) => columns.includes('run_id'))
  const all = []
  for (const id of ids) {
    const { rows: found } = await from.query('SELECT * FROM runs WHERE public_id = $1', [id])
    const read = async (text) => (await from.query(text, [found[0].id])).rows
    const values = await read(`SELECT metadata_values.* FROM metadata_values
      JOIN run_metadata ON run_metadata.value_id = metadata_values.id WHERE run_id = $1`)
    const unknown = values.filter((value) => !knownValues.has(value.id))
    for (const value of unknown) knownValues.add(value.id)
    const run = [
      ['runs', found],
      ['metadata_values', unknown],
    ]
    for (const [table] of tables) run.push([table, await read(`SELECT * FROM ${table} WHERE run_id = $1`)])
    all.push(run)
  }
  return all
}

/** With multi-row VALUES, each text prepared once. What a row leaves to the default is not sent. */
function insert(table, rows) {
  const sent = []
  const columns = Object.keys(rows[0] ?? {}).filter((name) => rows.some((row) => row[name] !== null))
  for (let first = 0; first < rows.length; first += ROWS_AT_ONCE) {
    const some = rows.slice(first, first + ROWS_AT_ONCE)
    const values = some.flatMap((row) => columns.map((name) => row[name]))
    sent.push(to.query({ ...prepare(table, columns, some.length), values }))
  }
  return sent
}

function prepare(table, columns, count) {
  const key = `${table} ${columns.join()} ${count}`
  if (texts.has(key)) return texts.get(key)
  const row = (index) => `(${columns.map((_, place) => `$${index * columns.length + place + 1}`).join(', ')})`
  const all = Array.from({ length: count }, (_, index) => row(index)).join(', ')
  const text = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${all}`
  texts.set(key, { name: `s${texts.size}`, text })
  return texts.get(key)
}
