// npm run bench -- service [--database postgres] [--runs N] [--steps N] [--attachments N] [--seed N]
// What a service with many runs costs those who read, send and delete, and what everybody else waits for meanwhile; on SQLite,
// whether a service on its restored backup answers as it does; on PostgreSQL, whether runs cost several processes more than one.
import { mkdtemp, rm } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { startPostgres } from './postgres.mjs'
import { conclude } from './results.mjs'
import { measureBackup } from './service-backup.mjs'
import { startProbe } from './service-client.mjs'
import { measureCreation } from './service-creation.mjs'
import { measureDeletion } from './service-deletion.mjs'
import { makeDataFolder } from './service-fill.mjs'
import { moveToPostgres } from './service-fill-postgres.mjs'
import { measureProcesses } from './service-processes.mjs'
import { measureReads } from './service-reads.mjs'
import { openRecords } from './service-records.mjs'
import { readCpuMs, REPOSITORY, startService } from './start-service.mjs'

const number = (fallback) => /** @type {const} */ ({ type: 'string', default: String(fallback) })
const { values } = parseArgs({
  options: {
    runs: number(100_000),
    steps: number(50),
    attachments: number(10),
    seed: number(1),
    only: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
  },
})
if (!['sqlite', 'postgres'].includes(values.database)) throw new Error('--database is sqlite or postgres')
const sizes = {
  runs: Number(values.runs),
  steps: Number(values.steps),
  attachments: Number(values.attachments),
  seed: Number(values.seed),
}
const isWanted = (part) => values.only === undefined || values.only.split(',').includes(part)
// Beside the cache, so that copies can share its blobs.
const folder = await mkdtemp(path.join(REPOSITORY, '.cache/bench-'))
const postgres = values.database === 'postgres' ? await startPostgres() : undefined
const started = []
try {
  console.log(
    `\n${values.runs} runs × ${values.steps} steps × ${values.attachments} attachments, seed ${values.seed}, on ${values.database}`,
  )
  const large = await startFilled('large', sizes)
  const small = await startFilled('small', { ...sizes, runs: Math.ceil(sizes.runs / 10) })
  await Promise.all([large, small].map(waitUntilIdle))
  const probe = await startProbe(large.variables)
  const results = []
  if (isWanted('reads')) results.push(...(await measureReads(large, small, probe)))
  if (isWanted('creation')) results.push(...(await measureCreation(large, probe, folder)))
  if (isWanted('backup') && !postgres) results.push(...(await measureBackup(large, probe, folder)))
  if (isWanted('deletion')) results.push(...(await measureDeletion(large, probe, sizes)))
  await probe.stop()
  if (isWanted('processes') && postgres) results.push(await measureProcesses(large, folder))
  process.exitCode = conclude(results)
} finally {
  for (const { stop, records } of started) {
    await records.close()
    await stop()
  }
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
}

/** @typedef {Awaited<ReturnType<typeof startFilled>>} FilledService */
async function startFilled(name, wanted) {
  const filled = await makeDataFolder(path.join(folder, name), wanted)
  const { data, url } = postgres ? await fillPostgres(name, filled) : { data: filled }
  const records = await openRecords({ data, url }, folder)
  const args = url === undefined ? [] : ['--database', url]
  const service = { ...(await startService(args, { dataFolder: data })), data, records }
  started.push(service)
  return service
}

async function fillPostgres(name, filled) {
  const url = await postgres.createDatabase(name)
  const data = path.join(folder, name, 'of-postgres')
  await moveToPostgres(filled, url, data)
  return { data, url }
}

/** Until the service has done what it does at its start. */
async function waitUntilIdle({ pid }) {
  for (let before = readCpuMs(pid); ; before = readCpuMs(pid)) {
    await sleep(2_000)
    if (readCpuMs(pid) - before < 100) return
  }
}
