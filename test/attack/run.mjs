// node test/attack/run.mjs [--small] [--database postgres] [NAME …]: attacks a real service, each attack one of its own; ends 1
// when one gets through.
// With --small there is less of everything, for CI: what /healthz takes is told and not judged, and other times may be
// five times as long, since a machine of CI does other things besides.
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { makeDataFolder } from '../bench/service-fill.mjs'
import { moveToPostgres } from '../bench/service-fill-postgres.mjs'
import { startPostgres } from '../bench/postgres.mjs'
import { REPOSITORY } from '../bench/start-service.mjs'
import { createRun, createStep } from './attacks/bodies.mjs'
import { mountDisk } from './attacks/budgets.mjs'
import { ATTACKS } from './attacks/index.mjs'
import { send, sleep } from './client.mjs'
import { findDatabase, startTarget, startWatch, usePostgres } from './target.mjs'

const MAX_HEALTH_MS = 50
const MAX_MEMORY_MIB = 400
const LEAST_WATCH_MS = 3_000

/** What waits for a processor, for each there is; above that no time says anything about the service. */
const BUSY_LOAD = 2
const SMALL_SLACK = 5

/** More than a body without a key may have. */
const TOO_LONG = 'x'.repeat(8 * 1024)

/** What `bench -- service` fills a service with, so that both share one copy in the cache; and the same with --small. */
const FILLED = { runs: 100_000, steps: 50, attachments: 10, seed: 1 }
const SMALL_FILLED = { ...FILLED, runs: 1_000 }

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    small: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
    database: { type: 'string', default: 'sqlite' },
  },
})
if (!['sqlite', 'postgres'].includes(values.database)) throw new Error('--database is sqlite or postgres')
const unknown = positionals.filter((name) => !(name in ATTACKS))
if (values.list || unknown.length > 0) {
  if (unknown.length > 0) console.error(`no attack is called ${unknown.join(', ')}; there are:`)
  for (const [name, { about }] of Object.entries(ATTACKS)) console.log(`${name.padEnd(24)} ${about}`)
  process.exit(unknown.length > 0 ? 2 : 0)
}

const postgres = values.database === 'postgres' ? await startPostgres() : undefined
usePostgres(postgres)
// An attacker has a machine of its own; here the service shares ours with it.
os.setPriority(os.constants.priority.PRIORITY_BELOW_NORMAL)
const got = []
let areTimesJudged = true
const names = positionals.length > 0 ? positionals : Object.keys(ATTACKS)
// Where no times are judged, the others go on meanwhile.
const isBeside = (name) => values.small && ATTACKS[name].onlyWaits
const waiting = names.filter(isBeside).map(attack)
for (const name of names.filter((each) => !isBeside(each))) await attack(name)
await Promise.all(waiting)
await postgres?.stop()
console.log(got.length === 0 ? '\nEvery attack was refused or harmless.' : `\nGot through: ${got.join(', ')}`)
if (!areTimesJudged) console.log('Not all times were judged.')
process.exitCode = got.length === 0 ? 0 : 1

/** Says how an attack went when it has ended, and notes in `got` that it got through. @param {string} name */
async function attack(name) {
  const { about, run, isFilled = false, disk: size, target: options } = ATTACKS[name]
  const isBusy = os.loadavg()[0] > BUSY_LOAD * os.availableParallelism()
  const isTimeless = isBusy || values.small
  const folder = isFilled ? await makeFolder() : undefined
  const disk = size && (await mountDisk(size))
  if (disk?.isMounted === false) {
    await disk.remove()
    return console.log(`\n${name}: skipped, for this process may mount no file system`)
  }
  const dataDir = disk?.folder ?? (folder && (await makeFilled(folder)))
  const target = await startTarget({ ...options, dataDir })
  try {
    await warmUp(target)
    const watch = await startWatch(target)
    const problems = []
    const claim = (holds, sentence) => void (holds || problems.push(sentence))
    const slack = values.small ? SMALL_SLACK : 1
    const claimFast = (ms, mostMs, what) =>
      claim(ms <= mostMs * slack || isBusy, `${what} took ${ms.toFixed(0)} ms`)
    const began = performance.now()
    const did = await run({ target, claim, claimFast, isSmall: values.small })
    const seconds = (performance.now() - began) / 1000
    if (!isTimeless) await sleep(LEAST_WATCH_MS - seconds * 1000)
    const { service, machine } = await watch.stop()
    const memoryMib = await target.peakMemoryMib()
    console.log(`\n${name}: ${about}`)
    console.log(`  ${did} (${seconds.toFixed(1)} s)`)
    console.log(
      `  /healthz ${format(service)}${service.failed ? `, ${service.failed} failed` : ''}; a bare server ${format(machine)}`,
    )
    console.log(
      `  memory${postgres ? '' : ', with that of its readers,'} at most ${memoryMib === undefined ? 'unknown' : `${memoryMib.toFixed(0)} MiB`}`,
    )
    if (isBusy) console.log('  times are not judged: others keep this machine busy')
    areTimesJudged &&= !isTimeless
    const verdict = [...problems, ...judge({ service, machine, memoryMib, target, isTimeless })]
    for (const problem of verdict) console.log(`  GOT THROUGH: ${problem}`)
    if (verdict.length === 0) console.log('  refused or harmless')
    else got.push(name)
  } finally {
    await target.stop()
    if (folder) await rm(folder, { recursive: true })
    await disk?.remove()
  }
}

/** A data folder with many runs on record, below this one. */
async function makeFilled(folder) {
  const filled = await makeDataFolder(folder, values.small ? SMALL_FILLED : FILLED)
  if (!postgres) return filled
  const data = path.join(folder, 'of-postgres')
  await moveToPostgres(filled, await findDatabase(data), data)
  return data
}

/** Beside the cache, so that a copy can share its blobs. */
async function makeFolder() {
  const cache = path.join(REPOSITORY, '.cache')
  await mkdir(cache, { recursive: true })
  return mkdtemp(path.join(cache, 'attack-'))
}

/** What a process does for the first time takes it longest, with or without an attack: it takes, lists and refuses. */
async function warmUp(target) {
  for (let times = 0; times < 50; times += 1) {
    await send(target, 'POST', '/v1/runs', createRun(target, { steps: [createStep()] }))
    await send(target, 'GET', '/v2/runs')
    await send(target, 'POST', '/session', { code: TOO_LONG })
  }
}

/** What a bare server takes at the same time is the machine's doing. */
function judge({ service, machine, memoryMib, target, isTimeless }) {
  const p99 = service.p99 - machine.p99
  return [
    ...(target.isAlive() ? [] : [`the service died: ${target.log()}`]),
    ...(p99 <= MAX_HEALTH_MS || isTimeless
      ? []
      : [`/healthz took ${p99.toFixed(0)} ms longer than a bare server (99th percentile)`]),
    ...(service.failed === 0 ? [] : [`${service.failed} requests for /healthz failed`]),
    ...judgeMemory(memoryMib),
  ]
}

function judgeMemory(memoryMib) {
  if (memoryMib === undefined)
    return os.platform() === 'linux' ? ['nothing says how much memory the service held'] : []
  return memoryMib <= MAX_MEMORY_MIB ? [] : [`the service held more than ${MAX_MEMORY_MIB} MiB`]
}

function format({ p50, p99, max }) {
  return `p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}, at most ${max.toFixed(0)} ms`
}
