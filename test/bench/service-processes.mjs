// What it costs a service to create a run: alone on its database, and with others that create runs there, too.
import path from 'node:path'
import { median } from './measure.mjs'
import { connect, importTypeScript } from './postgres.mjs'
import { createClient } from './service-client.mjs'
import { makeRequest } from './service-creation.mjs'
import { readCpuMs, startService } from './start-service.mjs'

const PROCESSES = 3
/** Of all processes together. */
const CONNECTIONS = 12
const ROUNDS = 9
const RUNS_IN_A_ROUND = 240

/** @param {import('./service.mjs').FilledService} service whose database is copied */
export async function measureProcesses({ records }, folder) {
  const url = await records.copy('processes')
  const statistics = await connect(url)
  // Which place has the files: those of the copy begin with an empty bucket.
  await statistics.query(`DELETE FROM settings WHERE name = 'internal.bytes_id'`)
  const store = await startStore()
  const started = []
  try {
    for (let number = 1; number <= PROCESSES; number += 1) {
      const dataFolder = path.join(folder, `process-${number}`)
      started.push(await startService(['--database', url], { dataFolder, env: store.env }))
    }
    return await compare(started, statistics)
  } finally {
    await statistics.end()
    for (const service of started) await service.stop()
    await store.stop()
  }
}

/** Several processes have their files in a bucket. */
async function startStore() {
  const { startS3StandIn } = await importTypeScript('packages/server/src/testing/s3-stand-in.ts')
  const store = await startS3StandIn()
  const env = {
    RUNLEDGER_STORAGE: store.addressOf('runs'),
    AWS_ACCESS_KEY_ID: store.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: store.credentials.secretAccessKey,
  }
  return { env, stop: store.stop }
}

/** In each round as many clients create as many runs, first with one of the processes, then with all of them. */
async function compare(services, statistics) {
  let made = 0
  const measure = (some) => measureCpu(some, statistics, () => (made += 1))
  // What a process does for the first time takes it longest.
  for (const service of services) await measure([service])
  const growths = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const [one, all] = [await measure([services[round % PROCESSES]]), await measure(services)]
    growths.push(all.cpuMs / one.cpuMs)
    console.log(
      `  CPU for a run ${one.cpuMs.toFixed(2)} ms in one process, ${all.cpuMs.toFixed(2)} ms in ${PROCESSES}; ${one.perSecond.toFixed(0)} and ${all.perSecond.toFixed(0)} runs/s; ${one.repeated} and ${all.repeated} transactions of ${RUNS_IN_A_ROUND} repeated`,
    )
  }
  const name = `CPU of the service for a run: ${PROCESSES} processes / 1`
  return { name, target: 1.1, value: median(growths), unit: '' }
}

async function measureCpu(services, statistics, nextNumber) {
  const clients = services.map(({ variables }) => createClient(variables, CONNECTIONS / services.length))
  const readCpu = () => services.reduce((sum, { pid }) => sum + readCpuMs(pid), 0)
  const repeatedBefore = await countRepeated(statistics)
  const [startedAt, cpuBefore] = [performance.now(), readCpu()]
  let left = RUNS_IN_A_ROUND
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, index) => {
      const turn = index % services.length
      const procedure = services[turn].variables.RUNLEDGER_PROCEDURE_ID
      while ((left -= 1) >= 0)
        await clients[turn].json('POST', '/v1/runs', makeRequest(procedure, nextNumber()))
    }),
  )
  const cpuMs = (readCpu() - cpuBefore) / RUNS_IN_A_ROUND
  const perSecond = RUNS_IN_A_ROUND / ((performance.now() - startedAt) / 1000)
  for (const client of clients) await client.close()
  return { cpuMs, perSecond, repeated: (await countRepeated(statistics)) - repeatedBefore }
}

/** Transactions that were rolled back: the service does that with those that it does again. */
async function countRepeated(statistics) {
  await statistics.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await statistics.query(
    'SELECT xact_rollback AS count FROM pg_stat_database WHERE datname = current_database()',
  )
  return rows[0].count
}
