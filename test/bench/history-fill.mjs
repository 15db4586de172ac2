// A year of builds in a data folder: 10 packages in two repositories, 5,000 tests, 8,000 builds for a million runs.
import { importTypeScript } from './postgres.mjs'
import { makeRunRows } from './history-rows.mjs'
import { makeWorld } from './history-world.mjs'
import { openToFill } from './service-fill.mjs'
import { Inserter } from './sqlite.mjs'

const RUNS_AT_ONCE = 250

/** How `makeDataFolder` makes it. */
export const YEAR = {
  fill: fillYear,
  sources: ['history-fill.mjs', 'history-rows.mjs', 'history-world.mjs', 'service-random.mjs', 'sqlite.mjs'],
}

async function fillYear(folder, { runs, seed }) {
  const database = await openToFill(folder)
  const inserter = new Inserter(database)
  const world = makeWorld(database, inserter, { runs, seed })
  for (let from = 0; from < runs; from += RUNS_AT_ONCE) {
    const tables = {}
    for (let index = from; index < Math.min(from + RUNS_AT_ONCE, runs); index += 1)
      for (const [table, rows] of Object.entries(makeRunRows(world, index)))
        if (rows.length > 0) (tables[table] ??= []).push(...rows)
    database.exec('BEGIN')
    for (const [table, rows] of Object.entries(tables)) inserter.insert(table, rows)
    database.exec('COMMIT')
  }
  await rollUp(database, world)
  database.exec(`UPDATE settings SET value = '-1' WHERE name = 'internal.history_filled_to'`)
  database.exec('PRAGMA analysis_limit = 1000')
  database.exec('ANALYZE')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** With the statement of the service that counts roll-ups anew. */
async function rollUp(database, { packages }) {
  const file = 'packages/server/src/record/results/history/result-store.ts'
  const { INSERT_DAYS_OF_PROCEDURE } = await importTypeScript(file)
  const statement = database.prepare(INSERT_DAYS_OF_PROCEDURE)
  for (const { id } of packages) statement.run(id)
}
