// npm run bench -- line [--units N] [--seed N] [--only NAME] [--rounds N]
// What the statistics of a production line cost while a client creates runs, and how soon its pages show them in real Chromium
// when none does: 100,000 units have 2,000,000 measurements of 50 kinds.
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { countMeasurements, LINE, PROCEDURES } from './line-fill.mjs'
import { measurePages } from './line-pages.mjs'
import { conclude } from './results.mjs'
import { createClient, startProbe } from './service-client.mjs'
import { makeDataFolder } from './service-fill.mjs'
import { REPOSITORY, startService, waitUntilIdle } from './start-service.mjs'
import { TARGET_MS, timeReads } from './time-reads.mjs'

const procedureOf = (round) => `procedure_id=LINE-${round % PROCEDURES}`
const measurementOf = (round) =>
  `${procedureOf(round)}&phase=step%20${round % 7}&measurement=voltage%20${round % 7}`

const OPERATIONS = [
  { name: 'home', path: () => '/v2/home' },
  ...['day', 'week', 'batch', 'station', 'version', 'revision'].map((by) => ({
    name: `yields by ${by}`,
    path: (round) => `/v2/line/yields?${procedureOf(round)}&by=${by}`,
  })),
  {
    name: 'yields of a year by day',
    path: (round) => `/v2/line/yields?${procedureOf(round)}&by=day&days=365`,
  },
  { name: 'failures', path: (round) => `/v2/line/failures?${procedureOf(round)}` },
  { name: 'failures of a year', path: (round) => `/v2/line/failures?${procedureOf(round)}&days=365` },
  { name: 'measurement', path: (round) => `/v2/line/measurement?${measurementOf(round)}` },
  { name: 'measurement of a year', path: (round) => `/v2/line/measurement?${measurementOf(round)}&days=365` },
  {
    name: 'measurement at a station',
    path: (round) => `/v2/line/measurement?${measurementOf(round)}&stations=Bench%20${1 + (round % 8)}`,
  },
  {
    name: 'gauge study',
    path: (round) =>
      `/v2/line/gauge?${measurementOf(round)}&serial_numbers=SN-1000001&serial_numbers=SN-1000002`,
  },
  { name: 'where used', path: (round) => `/v2/line/where-used?batch_number=LOT-${1000 + (round % 10)}` },
  { name: 'a unit', path: (round) => `/v2/units/SN-${1_000_000 + round}` },
]

const { values } = parseArgs({
  options: {
    units: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    rounds: { type: 'string', default: '40' },
  },
})
const units = Number(values.units)
const folder = await mkdtemp(path.join(REPOSITORY, '.cache/bench-'))
let service
try {
  console.log(`\na year of ${units} units with ${countMeasurements(units)} measurements, seed ${values.seed}`)
  const data = await makeDataFolder(
    path.join(folder, 'line'),
    { runs: units, seed: Number(values.seed) },
    LINE,
  )
  service = await startService([], { dataFolder: data })
  await waitUntilIdle(service.pid)
  const client = createClient(service.variables)
  const reads = await measureReads(service, client)
  process.exitCode = conclude([...reads, ...(await measurePages(service.variables, client, values.only))])
  await client.close()
} finally {
  await service?.stop()
  await rm(folder, { recursive: true, force: true })
}

async function measureReads({ variables }, client) {
  const probe = await startProbe(variables)
  const creating = startCreating(client)
  const { result: times, p99WaitMs } = await probe.measure(() =>
    timeReads(client, OPERATIONS, { only: values.only, rounds: Number(values.rounds) }),
  )
  console.log(`  meanwhile ${await creating.stop()} runs were created`)
  await probe.stop()
  return [
    ...[...times].map(([name, { p95 }]) => ({
      name: `${name}: p95`,
      target: TARGET_MS,
      value: p95,
      unit: 'ms',
      digits: 1,
    })),
    { name: '/healthz meanwhile: p99', target: 50, value: p99WaitMs, unit: 'ms', digits: 1 },
  ]
}

/** Creates runs of the line, one after the other, until it is stopped; `stop` tells how many. */
function startCreating(client) {
  let count = 0
  const stopping = new AbortController()
  const created = (async () => {
    for (; !stopping.signal.aborted; count += 1) await client.json('POST', '/v1/runs', makeRequest(count))
  })()
  // Awaited by `stop`.
  created.catch(() => undefined)
  return {
    async stop() {
      stopping.abort()
      await created
      return count
    },
  }
}

function makeRequest(index) {
  const times = { started_at: new Date().toISOString(), duration: 'PT1S' }
  return {
    procedure_id: `LINE-${index % PROCEDURES}`,
    unit_under_test: {
      serial_number: `SN-${2_000_000 + index}`,
      part_number: 'BOARD',
      batch_number: 'LOT-NEW',
    },
    run_passed: true,
    ...times,
    steps: Array.from({ length: 10 }, (_, step) => ({
      name: `step ${step}`,
      step_passed: true,
      ...times,
      measurement_value: 5,
      measurement_unit: 'V',
      limit_low: 4.8,
      limit_high: 5.2,
    })),
  }
}
