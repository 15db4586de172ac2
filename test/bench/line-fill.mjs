// A year of a production line in a data folder: 5 procedures with 10 kinds of measurements each; every unit passes two of them.
import { createHash } from 'node:crypto'
import { importTypeScript } from './postgres.mjs'
import { openToFill } from './service-fill.mjs'
import { createRandom, makeUuid } from './service-random.mjs'
import { Inserter } from './sqlite.mjs'

export const PROCEDURES = 5
const PROCEDURES_OF_A_UNIT = 2
const KINDS = 10
const STATIONS = 8
const VERSIONS = 10
/** Units of a batch. */
const BATCH = 500
const YEAR_MS = 365 * 86_400_000
const EPOCH_2025_MS = Date.UTC(2025, 0, 1)
const KEYS_PER_MS = 2048
const UNITS_AT_ONCE = 200

/** How `makeDataFolder` makes it, for as many units as `runs` says. */
export const LINE = {
  fill: fillLine,
  sources: ['line-fill.mjs', 'service-random.mjs', 'sqlite.mjs'],
}

/** Measurements of so many units. */
export function countMeasurements(units) {
  return units * PROCEDURES_OF_A_UNIT * KINDS
}

async function fillLine(folder, { runs: units, seed }) {
  const database = await openToFill(folder)
  const inserter = new Inserter(database)
  const world = makeLine(database, inserter, { units, seed })
  for (let from = 0; from < units; from += UNITS_AT_ONCE) {
    const tables = { units: [], runs: [], phases: [], measurements: [] }
    for (let index = from; index < Math.min(from + UNITS_AT_ONCE, units); index += 1)
      addUnit(tables, world, index)
    database.exec('BEGIN')
    for (const [table, rows] of Object.entries(tables)) inserter.insert(table, rows)
    database.exec('COMMIT')
  }
  await rollUp(database)
  database.exec('PRAGMA analysis_limit = 1000')
  database.exec('ANALYZE')
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** With the statements of the service that count roll-ups anew. */
async function rollUp(database) {
  const folder = 'packages/server/src/record/results/line'
  const { insertYields } = await importTypeScript(`${folder}/yield-store.ts`)
  const { insertValues } = await importTypeScript(`${folder}/value-store.ts`)
  for (const text of [insertYields('1 = 1'), ...insertValues('1 = 1')]) database.exec(text)
}

function makeLine(database, inserter, { units, seed }) {
  const userId = database.prepare('SELECT id FROM users ORDER BY id LIMIT 1').get().id
  const endMs = Date.now() - 3_600_000
  let key = 1_000_000
  const nextKey = () => (key += 1)
  const base = { created_at_us: (endMs - YEAR_MS) * 1000, created_by_user_id: userId }
  const insert = (table, name, columns) => {
    const row = { id: nextKey(), public_id: makeUuid(seed, `${table} ${name}`), ...base, ...columns }
    inserter.insert(table, [row])
    return row.id
  }
  const named = (column, text) => ({ [column]: text, [`${column}_folded`]: text.toLowerCase() })
  const count = (length, make) => Array.from({ length }, (_, index) => make(index))
  const part = insert('parts', 'board', { ...named('number', 'BOARD'), name: 'Board' })
  const revisionId = insert('revisions', 'A', { part_id: part, ...named('number', 'A') })
  const stations = count(STATIONS, (index) => {
    return insert('stations', index, named('name', `Bench ${index + 1}`))
  })
  const batches = count(Math.ceil(units / BATCH), (index) => {
    return insert('batches', index, named('number', `LOT-${1000 + index}`))
  })
  const procedures = count(PROCEDURES, (index) => {
    const identifier = named('identifier', `LINE-${index}`)
    const id = insert('procedures', index, { ...identifier, ...named('name', `Test ${index}`) })
    const define = (text, unit) => {
      const row = {
        id: nextKey(),
        procedure_id: id,
        digest: createHash('sha256')
          .update(unit === null ? text : `${text}\0${unit}`)
          .digest('base64url'),
        name: text,
        unit_of_measure: unit,
      }
      inserter.insert('definitions', [row])
      return row.id
    }
    const versions = count(VERSIONS, (version) => {
      const tag = named('tag', `1.${version}`)
      return insert('procedure_versions', `${index} ${version}`, { ...tag, procedure_id: id })
    })
    const kinds = count(KINDS, (kind) => ({
      phase: define(`step ${kind}`, null),
      measurement: define(`voltage ${kind}`, 'V'),
    }))
    return { id, versions, kinds }
  })
  return { seed, units, userId, endMs, nextKey, revisionId, stations, batches, procedures }
}

function addUnit(tables, world, index) {
  const { seed, units, endMs, userId } = world
  const random = createRandom(seed, index)
  const startMs = endMs - YEAR_MS + Math.floor((YEAR_MS * index) / units)
  const serial = `SN-${1_000_000 + index}`
  const unit = {
    id: 10_000_000 + index,
    public_id: makeUuid(seed, `unit ${index}`),
    serial_number: serial,
    serial_number_folded: serial.toLowerCase(),
    revision_id: world.revisionId,
    batch_id: world.batches[Math.floor(index / BATCH)],
    created_at_us: startMs * 1000,
    created_by_user_id: userId,
  }
  tables.units.push(unit)
  for (let pass = 0; pass < PROCEDURES_OF_A_UNIT; pass += 1) {
    const procedure = world.procedures[(index + pass) % PROCEDURES]
    addRun(tables, world, {
      name: `${index} ${pass}`,
      unit,
      procedure,
      random,
      startMs: startMs + pass * 60_000,
    })
  }
}

/** One value of a thousand is outside its limits. */
function addRun(tables, world, { name, unit, procedure, random, startMs }) {
  const startedUs = startMs * 1000
  const id = (startMs - EPOCH_2025_MS) * KEYS_PER_MS + random.below(KEYS_PER_MS / 2) + 32
  const values = procedure.kinds.map(() => drawValue(random))
  const phases = procedure.kinds.map(({ phase }, step) => ({
    run_id: id,
    id: id + 1 + step,
    definition_id: phase,
    outcome: isInside(values[step]) ? 'PASS' : 'FAIL',
    started_at_us: startedUs + step * 1_000_000,
    duration_us: 900_000,
    retry_count: 0,
  }))
  tables.runs.push({
    id,
    public_id: makeUuid(world.seed, `run ${name}`),
    procedure_id: procedure.id,
    unit_id: unit.id,
    revision_id: unit.revision_id,
    outcome: values.every(isInside) ? 'PASS' : 'FAIL',
    started_at_us: startedUs,
    ended_at_us: startedUs + 10_000_000,
    duration_us: 10_000_000,
    first_phase_at_us: startedUs,
    last_phase_at_us: startedUs + (KINDS - 1) * 1_000_000,
    created_at_us: startedUs + 11_000_000,
    created_by_station_id: world.stations[random.below(STATIONS)],
    batch_id: unit.batch_id,
    version_id: procedure.versions[Math.floor((VERSIONS * (unit.id - 10_000_000)) / world.units)],
  })
  tables.phases.push(...phases)
  for (const [step, { measurement }] of procedure.kinds.entries())
    tables.measurements.push({
      run_id: id,
      id: id + 20 + step,
      phase_id: phases[step].id,
      definition_id: measurement,
      outcome: phases[step].outcome,
      number_value: values[step],
      ...LIMITS,
    })
}

const LIMITS = { limit_low: 4.8, limit_high: 5.2 }

function isInside(value) {
  return value >= LIMITS.limit_low && value <= LIMITS.limit_high
}

/** The sum of twelve even draws is nearly normal. */
function drawValue(random) {
  let sum = 0
  for (let draw = 0; draw < 12; draw += 1) sum += random.below(10_000) / 10_000
  return 5 + 0.06 * (sum - 6)
}
