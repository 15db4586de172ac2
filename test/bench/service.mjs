// npm run bench -- service [--runs N] [--steps N] [--attachments N] [--seed N]
// What a service with many runs costs those who read, send and delete, and what everybody else waits for meanwhile; and
// whether a service on its restored backup answers as it does.
import { mkdtemp, rm } from 'node:fs/promises'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { conclude } from './results.mjs'
import { measureBackup } from './service-backup.mjs'
import { startProbe } from './service-client.mjs'
import { measureCreation } from './service-creation.mjs'
import { measureDeletion } from './service-deletion.mjs'
import { makeDataFolder } from './service-fill.mjs'
import { measureReads } from './service-reads.mjs'
import { REPOSITORY, startService } from './start-service.mjs'

const number = (fallback) => /** @type {const} */ ({ type: 'string', default: String(fallback) })
const { values } = parseArgs({
  options: {
    runs: number(100_000),
    steps: number(50),
    attachments: number(10),
    seed: number(1),
    only: { type: 'string' },
  },
})
const sizes = {
  runs: Number(values.runs),
  steps: Number(values.steps),
  attachments: Number(values.attachments),
  seed: Number(values.seed),
}
const isWanted = (part) => values.only === undefined || values.only.split(',').includes(part)
// Beside the cache, so that copies can share its blobs.
const folder = await mkdtemp(path.join(REPOSITORY, '.cache/bench-'))
const started = []
try {
  console.log(
    `\n${values.runs} runs × ${values.steps} steps × ${values.attachments} attachments, seed ${values.seed}`,
  )
  const large = await startFilled('large', sizes)
  const small = await startFilled('small', { ...sizes, runs: Math.ceil(sizes.runs / 10) })
  await Promise.all([large, small].map(waitUntilIdle))
  const probe = await startProbe(large.variables)
  const results = []
  if (isWanted('reads')) results.push(...(await measureReads(large, small, probe)))
  if (isWanted('creation')) results.push(...(await measureCreation(large, probe, folder)))
  if (isWanted('backup')) results.push(...(await measureBackup(large, probe, folder)))
  if (isWanted('deletion')) results.push(...(await measureDeletion(large, probe, sizes)))
  await probe.stop()
  process.exitCode = conclude(results)
} finally {
  for (const service of started) await service.stop()
  await rm(folder, { recursive: true, force: true })
}

async function startFilled(name, wanted) {
  const data = await makeDataFolder(path.join(folder, name), wanted)
  const service = await startService([], { dataFolder: data })
  started.push(service)
  return { ...service, data }
}

/** Until the service has done what it does at its start. */
async function waitUntilIdle({ pid }) {
  const read = () => {
    if (!existsSync(`/proc/${pid}/stat`)) return 0
    const [user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13)
    return Number(user) + Number(system)
  }
  for (let before = read(); ; before = read()) {
    await sleep(2_000)
    if (read() - before < 10) return
  }
}
