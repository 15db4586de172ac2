// Data folders of many runs, filled through the driver; kept in a cache, so that a second execution copies them.
import { createHash } from 'node:crypto'
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { copyFile } from 'node:fs/promises'
import path from 'node:path'
import { makeUuid } from './service-random.mjs'
import { makeRun } from './service-rows.mjs'
import { Inserter, loadSqlite } from './sqlite.mjs'
import { REPOSITORY, startService } from './start-service.mjs'

const CACHE = path.join(REPOSITORY, '.cache/bench-service')
const RUNS_OF_A_UNIT = 50
const PARTS = 20
const REVISIONS = ['A', 'B', 'C']
const RUNS_AT_ONCE = 200
/** How a folder is filled when nobody says otherwise, and the files that decide what it then holds. */
const BULK = {
  fill: fillBulk,
  sources: ['service-fill.mjs', 'service-random.mjs', 'service-rows.mjs', 'sqlite.mjs'],
}

/** Procedures and their share of the runs beside those of `bulk`, which has as many runs as were asked for. */
export const PROCEDURES = { bulk: 'BENCH-BULK', phases: 'BENCH-PHASES', other: 'BENCH-OTHER' }
const PHASES_OF_ONE_PROCEDURE = 250_000
const OTHER_SHARE = 0.06

/**
 * With `megabytes`, all attachments together have so many; without, each has a line.
 * @typedef {{ runs: number, steps: number, attachments: number, seed: number, megabytes?: number }} Sizes
 */

/** Makes `folder` a data folder with runs of these sizes, out of the cache when it is there. @param {Sizes} sizes */
export async function makeDataFolder(folder, sizes, { fill, sources } = BULK) {
  const empty = path.join(folder, 'empty')
  await (await startService([], { dataFolder: empty })).stop()
  const cached = path.join(CACHE, await keyOf(path.join(empty, 'runledger.db'), sizes, sources))
  if (!existsSync(cached)) {
    const startedAt = Date.now()
    const growing = `${cached}.${process.pid}`
    mkdirSync(CACHE, { recursive: true })
    renameSync(empty, growing)
    await fill(growing, sizes)
    renameSync(growing, cached)
    console.log(`  filled with ${sizes.runs} runs in ${((Date.now() - startedAt) / 1000).toFixed(0)} s`)
  } else rmSync(empty, { recursive: true })
  const data = path.join(folder, 'data')
  await copyFolder(cached, data)
  return data
}

/** The tables as the service makes them, how they are filled, and with how much. */
async function keyOf(databasePath, sizes, sources) {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(databasePath)
  const tables = database.prepare('SELECT sql FROM sqlite_master ORDER BY name').all()
  database.close()
  const hash = createHash('sha256').update(JSON.stringify([tables, sizes]))
  for (const name of sources) hash.update(readFileSync(path.join(import.meta.dirname, name)))
  return hash.digest('hex').slice(0, 16)
}

/** Blobs are never written again, so a copy may share them. */
async function copyFolder(from, to) {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true, recursive: false })) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)]
    if (entry.isDirectory()) await copyFolder(source, target)
    else if (/^[0-9a-f]{64}$/.test(entry.name)) linkSync(source, target)
    else await copyFile(source, target)
  }
}

/** The database of a data folder that no service uses, set to be filled fast. */
export async function openToFill(folder) {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(path.join(folder, 'runledger.db'))
  for (const pragma of [
    'synchronous=OFF',
    'cache_size=-1000000',
    'foreign_keys=OFF',
    'wal_autocheckpoint=50000',
  ])
    database.exec(`PRAGMA ${pragma}`)
  return database
}

async function fillBulk(folder, sizes) {
  const database = await openToFill(folder)
  const inserter = new Inserter(database)
  const world = createWorld(database, inserter, sizes)
  for (let from = 0; from < world.count; from += RUNS_AT_ONCE) {
    const tables = {}
    const until = Math.min(from + RUNS_AT_ONCE, world.count)
    for (let index = from; index < until; index += 1)
      for (const [table, rows] of Object.entries(makeRun(world, index))) (tables[table] ??= []).push(...rows)
    const { bytes, ...rows } = tables
    database.exec('BEGIN')
    for (const [table, all] of Object.entries(rows)) inserter.insert(table, all)
    database.exec('COMMIT')
    writeBlobs(folder, bytes ?? [])
  }
  database.exec('ANALYZE')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

function writeBlobs(folder, all) {
  for (const { sha256, content } of all) {
    const target = path.join(folder, 'blobs', sha256.slice(0, 2))
    if (!made.has(target)) mkdirSync(target, { recursive: true })
    made.add(target)
    writeFileSync(path.join(target, sha256), content)
  }
}

const made = new Set()

/** What runs refer to. @typedef {ReturnType<typeof createWorld>} World */
function createWorld(database, inserter, { runs, steps, attachments, seed, megabytes = 0 }) {
  const userId = database.prepare('SELECT id FROM users ORDER BY id LIMIT 1').get().id
  const base = { created_at_us: Date.UTC(2026, 0, 1) * 1000, created_by_user_id: userId }
  let key = 1_000_000
  const record = (name) => ({ id: (key += 1), public_id: makeUuid(seed, name), ...base })
  const parts = Array.from({ length: PARTS }, (_, index) => ({
    ...record(`part ${index}`),
    number: `PCB-${100 + index}`,
    number_folded: `pcb-${100 + index}`,
    name: `Board ${index}`,
  }))
  const revisions = parts.flatMap((part) =>
    REVISIONS.map((number) => ({
      ...record(`revision ${part.number} ${number}`),
      part_id: part.id,
      number,
      number_folded: number.toLowerCase(),
    })),
  )
  const units = Array.from({ length: Math.ceil(runs / RUNS_OF_A_UNIT) }, (_, index) => ({
    ...record(`unit ${index}`),
    serial_number: `SN-${100_000 + index}`,
    serial_number_folded: `sn-${100_000 + index}`,
    revision_id: revisions[index % revisions.length].id,
  }))
  inserter.insert('parts', parts)
  inserter.insert('revisions', revisions)
  inserter.insert('units', units)
  const procedures = createProcedures(inserter, { record, steps, seed })
  const counts = {
    bulk: runs,
    phases: Math.min(runs, Math.ceil(PHASES_OF_ONE_PROCEDURE / steps)),
    other: Math.ceil(runs * OTHER_SHARE),
  }
  const count = counts.bulk + counts.phases + counts.other
  const places = spread(counts, count)
  return {
    seed,
    steps,
    attachments,
    attachmentBytes: Math.floor((megabytes * 1_000_000) / (count * attachments)),
    count,
    units,
    userId,
    metadataValues: new Map(),
    errors: new Map(),
    errorGroups: new Set(),
    endMs: Date.now() - 3_600_000,
    procedureOf: (index) => procedures[places[index]],
  }
}

/** The procedure of each run: those of each lie as evenly among the others as their number allows. */
function spread(counts, total) {
  const taken = { bulk: 0, phases: 0, other: 0 }
  return Array.from({ length: total }, (_, index) => {
    const behind = (name) => (counts[name] * (index + 1)) / total - taken[name]
    const [name] = Object.keys(counts).toSorted((a, b) => behind(b) - behind(a))
    taken[name] += 1
    return name
  })
}

function createProcedures(inserter, { record, steps, seed }) {
  const procedures = {}
  for (const [name, identifier] of Object.entries(PROCEDURES)) {
    const procedure = {
      ...record(`procedure ${identifier}`),
      identifier,
      identifier_folded: identifier.toLowerCase(),
      name: `Procedure ${identifier}`,
      name_folded: `procedure ${identifier.toLowerCase()}`,
    }
    inserter.insert('procedures', [procedure])
    const define = (text, unitOfMeasure) => {
      const definition = {
        id: record(text).id,
        procedure_id: procedure.id,
        digest: createHash('sha256')
          .update(`${text}${unitOfMeasure ? `\0${unitOfMeasure}` : ''}`)
          .digest('base64url'),
        name: text,
        unit_of_measure: unitOfMeasure,
      }
      inserter.insert('definitions', [definition])
      return definition.id
    }
    procedures[name] = {
      id: procedure.id,
      isHistory: name === 'other',
      phaseNames: Array.from({ length: steps }, (_, step) =>
        define(`module ${seed} › works in case ${step}`, null),
      ),
      measurementNames: Array.from({ length: steps }, (_, step) => define(`voltage of case ${step}`, 'V')),
    }
  }
  return procedures
}
