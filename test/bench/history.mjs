// npm run bench -- history [--runs N] [--seed N] [--only reads,creation] [--operations NAME] [--rounds N] [--database postgres]
// What the pages of a year of builds cost while others create runs, how much of the disk a step takes, and what the history
// costs creation. A million runs are 20 steps each, of 5,000 tests in 8,000 builds; fewer runs are of fewer builds.
import { mkdtemp, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measureHistoryCost, startCreating } from './history-creation.mjs'
import { YEAR } from './history-fill.mjs'
import { concludeReads, timeOperations } from './history-reads.mjs'
import { TESTS_OF_A_FILE } from './history-world.mjs'
import { startPostgres } from './postgres.mjs'
import { conclude } from './results.mjs'
import { startProbe } from './service-client.mjs'
import { makeDataFolder } from './service-fill.mjs'
import { moveToPostgres } from './service-fill-postgres.mjs'
import { openRecords } from './service-records.mjs'
import { REPOSITORY, startService, waitUntilIdle } from './start-service.mjs'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    operations: { type: 'string' },
    rounds: { type: 'string', default: '40' },
    database: { type: 'string', default: 'sqlite' },
  },
})
if (!['sqlite', 'postgres'].includes(values.database)) throw new Error('--database is sqlite or postgres')
const [runs, seed] = [Number(values.runs), Number(values.seed)]
const isWanted = (part) => values.only === undefined || values.only.split(',').includes(part)
const folder = await mkdtemp(path.join(REPOSITORY, '.cache/bench-'))
const postgres = values.database === 'postgres' ? await startPostgres() : undefined
const started = []
try {
  console.log(`\na year of ${runs} runs × ${TESTS_OF_A_FILE} steps, seed ${seed}, on ${values.database}`)
  const large = await startFilled('large', runs)
  const results = [large.bytes]
  if (isWanted('reads')) results.push(...(await measureReads(large)))
  if (isWanted('creation')) results.push(await measureHistoryCost(large))
  process.exitCode = conclude(results)
} finally {
  for (const { stop } of started) await stop()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
}

async function startFilled(name, wanted) {
  const filled = await makeDataFolder(path.join(folder, name), { runs: wanted, seed }, YEAR)
  const { data, url } = postgres ? await fillPostgres(name, filled) : { data: filled }
  const bytes = await measureBytes(data, url, wanted)
  const args = url === undefined ? [] : ['--database', url]
  const service = { ...(await startService(args, { dataFolder: data })), bytes }
  started.push(service)
  await waitUntilIdle(service.pid)
  return service
}

async function fillPostgres(name, filled) {
  const url = await postgres.createDatabase(name)
  const data = path.join(folder, name, 'of-postgres')
  await moveToPostgres(filled, url, data)
  return { data, url }
}

async function measureBytes(data, url, wanted) {
  return {
    name: `bytes on disk for a step of ${wanted} runs`,
    target: 220,
    value: (await readSize(data, url)) / (wanted * TESTS_OF_A_FILE),
    unit: 'B',
    digits: 0,
  }
}

async function readSize(data, url) {
  if (url === undefined) return (await stat(path.join(data, 'runledger.db'))).size
  const records = await openRecords({ data, url })
  const [{ bytes }] = await records.select('SELECT pg_database_size(current_database()) AS bytes')
  await records.close()
  return Number(bytes)
}

/** One service after the other, so that neither makes the other wait. */
async function measureReads(large) {
  const { times, p99WaitMs } = await timeUnderLoad(large)
  const small = await startFilled('small', Math.ceil(runs / 10))
  const { times: ofSmall } = await timeUnderLoad(small)
  return [
    ...concludeReads(times, ofSmall),
    { name: '/healthz meanwhile: p99', target: 50, value: p99WaitMs, unit: 'ms', digits: 1 },
  ]
}

async function timeUnderLoad(service) {
  const probe = await startProbe(service.variables)
  const creating = startCreating(service)
  const startedAt = performance.now()
  const { result: times, p99WaitMs } = await probe.measure(() =>
    timeOperations(service, { only: values.operations, rounds: Number(values.rounds) }),
  )
  const created = await creating.stop()
  const seconds = (performance.now() - startedAt) / 1000
  console.log(`  meanwhile ${(created / seconds).toFixed(0)} runs/s were created, in ${seconds.toFixed(0)} s`)
  await probe.stop()
  return { times, p99WaitMs }
}
