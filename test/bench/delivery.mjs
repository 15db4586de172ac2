// npm run bench -- delivery [--rounds N] [--seed N] [--screenshots N]
// What delivery costs: the same bytes through the core and through a bare loop of undici, in turn, each to a fresh
// service; and how long a Playwright execution waits at its end for 200 screenshots.
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { writeFiles } from './delivery-files.mjs'
import { measureEnds } from './delivery-screenshots.mjs'
import { measure, median } from './measure.mjs'
import { conclude } from './results.mjs'
import { REPOSITORY, startService } from './start-service.mjs'

const SIZES = [
  { name: '1,000 × 100 kB', count: 1_000, sizeBytes: 100_000 },
  { name: '10 × 50 MB', count: 10, sizeBytes: 50_000_000 },
]

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '9' },
    seed: { type: 'string', default: '1' },
    screenshots: { type: 'string', default: '200' },
  },
})
const [rounds, seed, screenshots] = [values.rounds, values.seed, values.screenshots].map(Number)
const folder = await mkdtemp(path.join(os.tmpdir(), 'runledger-delivery-'))
// The rounds' folders lie apart then: ext4 without a journal takes up to ten times as long, for five minutes, to make
// files where thousands have just been removed.
await promisify(execFile)('chattr', ['+T', folder]).catch(() => undefined)
try {
  const results = []
  for (const size of SIZES) results.push(...(await benchSize(size)))
  results.push(...(await measureEnds({ screenshots, rounds: 3 })))
  process.exitCode = conclude(results)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function benchSize({ name, count, sizeBytes }) {
  console.log(`\n${name}, seed ${seed}, concurrency 8, ${rounds} rounds after one that does not count`)
  const files = await writeFiles(path.join(folder, name), { count, sizeBytes, seed })
  const list = path.join(folder, `${name}.json`)
  await writeFile(list, JSON.stringify(files))
  const ratios = []
  const grown = []
  for (let round = 0; round <= rounds; round += 1) {
    const found = {}
    for (const kind of round % 2 === 0 ? ['bare', 'core'] : ['core', 'bare'])
      found[kind] = await sendAll(kind, list)
    if (round === 0) continue
    ratios.push(found.bare.seconds / found.core.seconds)
    grown.push(found.core.grownBytes / 1024 / 1024)
    console.log(
      `  ${describe('bare', found.bare, count * sizeBytes)}   ${describe('core', found.core, count * sizeBytes)}`,
    )
  }
  return [
    {
      name: `${name}: throughput, core / bare undici`,
      target: 0.85,
      isLeast: true,
      value: median(ratios),
      unit: '',
    },
    {
      name: `${name}: peak memory of the core over idle`,
      target: 60,
      value: median(grown),
      unit: 'MB',
      digits: 1,
    },
  ]
}

function describe(kind, { seconds, grownBytes }, bytes) {
  const rate = (bytes / 1e6 / seconds).toFixed(0)
  return `${kind}: ${seconds.toFixed(2)} s, ${rate} MB/s, +${(grownBytes / 1024 / 1024).toFixed(0)} MB`
}

async function sendAll(kind, list) {
  const data = await mkdtemp(path.join(folder, 'data-'))
  const service = await startService([], { dataParent: data })
  try {
    const script = fileURLToPath(new URL(`./delivery-${kind}.mjs`, import.meta.url))
    const env = { ...service.variables, RUNLEDGER_SPOOL_DIR: path.join(data, 'spool') }
    const { output, exitCode } = await measure([script, list], { cwd: REPOSITORY, env })
    const said = output.split('\n').find((line) => line.startsWith('{'))
    if (exitCode !== 0 || said === undefined) throw new Error(`${kind}: ${output}`)
    return JSON.parse(said)
  } finally {
    await service.stop()
    await rm(data, { recursive: true, force: true })
  }
}
