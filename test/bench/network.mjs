// npm run bench -- network [--framework F] [--files 40,200] [--round-trips 0,50,150] [--services ours,bare] [--rounds N]
// How long an execution is held after its last test, behind a network: with the reporter less without it.
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measure, median } from './measure.mjs'
import { createProjects, newestVersion } from './overhead-project.mjs'
import { conclude } from './results.mjs'
import { startSlowProxy } from './slow-proxy.mjs'
import { startBareService, startService } from './start-service.mjs'

const TESTS_PER_FILE = 20
const FAILING = 0.002

/** Allowed round trips beyond 0.4 s. */
const SERVICES = {
  ours: { start: startService, roundTrips: 4 },
  bare: { start: startBareService, roundTrips: 30 },
}

/** Every file notes when its last test has ended. */
const FOOT = `afterAll(() => process.getBuiltinModule('fs').appendFileSync(process.env.BENCH_ENDS, Date.now() + '\\n'))\n`
const FOOTS = {
  jest: FOOT,
  vitest: `import { afterAll } from 'vitest'\n${FOOT}`,
  playwright: `const { afterAll } = test\n${FOOT}`,
}

const { values } = parseArgs({
  options: {
    framework: { type: 'string', default: 'jest' },
    files: { type: 'string', default: '40,200' },
    'round-trips': { type: 'string', default: '0,50,150' },
    services: { type: 'string', default: 'ours,bare' },
    rounds: { type: 'string', default: '3' },
  },
})
const listNumbers = (text) => text.split(',').map(Number)

const results = []
for (const files of listNumbers(values.files)) results.push(...(await benchFiles(files)))
process.exitCode = conclude(results)

async function benchFiles(files) {
  const { framework } = values
  const version = newestVersion(framework)
  const tests = files * TESTS_PER_FILE
  const projects = await createProjects({
    framework,
    version,
    tests,
    files,
    seed: 1,
    failing: FAILING,
    foot: FOOTS[framework],
  })
  console.log(`\n${framework} ${version}: ${files} files with ${TESTS_PER_FILE} tests each`)
  const found = []
  try {
    await measureEnd(projects.without, {})
    const withoutMs = median(await repeat(() => measureEnd(projects.without, {})))
    console.log(`  without the reporter: ${withoutMs.toFixed(0)} ms after the last test`)
    for (const service of values.services.split(','))
      for (const roundTripMs of listNumbers(values['round-trips']))
        found.push(await benchNetwork({ projects, files, service, roundTripMs, withoutMs }))
  } finally {
    await projects.remove()
  }
  return found
}

async function repeat(act) {
  const found = []
  for (let round = 0; round < Number(values.rounds); round += 1) found.push(await act())
  return found
}

/** The service has stored an execution before the measured ones, as one that runs for weeks has. */
async function benchNetwork({ projects, files, service, roundTripMs, withoutMs }) {
  const { start, roundTrips } = SERVICES[service]
  const started = await start()
  const proxy = await startSlowProxy(started.variables.RUNLEDGER_URL, roundTripMs)
  const state = path.join(projects.with.dir, '..', 'state')
  const env = { ...started.variables, RUNLEDGER_URL: proxy.url, XDG_STATE_HOME: state }
  try {
    await measureEnd(projects.with, env)
    let connections = proxy.countConnections()
    const moreMs = await repeat(async () => {
      const more = (await measureEnd(projects.with, env)) - withoutMs
      const opened = proxy.countConnections() - connections
      connections += opened
      console.log(
        `  ${service}, round trip ${roundTripMs} ms: ${more.toFixed(0)} ms more; ${opened} connections`,
      )
      return more
    })
    await checkRecord(started, files * (moreMs.length + 1))
    const name = `${files} files, ${service}, round trip of ${roundTripMs} ms: after the last test`
    return { name, target: 0.4 + (roundTrips * roundTripMs) / 1000, value: median(moreMs) / 1000, unit: 's' }
  } finally {
    await proxy.stop()
    await started.stop()
    await rm(state, { recursive: true, force: true })
  }
}

/** From the end of the last test to the end of the execution, in milliseconds. */
async function measureEnd({ dir, args }, variables) {
  const ends = path.join(dir, 'ends.txt')
  await rm(ends, { force: true })
  const result = await measure(args, { cwd: dir, env: { ...variables, BENCH_ENDS: ends } })
  const isRecorded = variables.RUNLEDGER_URL !== undefined
  if (result.exitCode !== 1 || result.output.includes('Runledger: ') !== isRecorded)
    throw new Error(`exit code ${result.exitCode}\n${result.output.slice(-2_000)}`)
  return result.endedAtMs - Math.max(...(await readFile(ends, 'utf8')).trim().split('\n').map(Number))
}

/** Nothing is lost, and nothing comes out of order. */
async function checkRecord(started, expectedRuns) {
  if ('countRuns' in started) {
    const runs = await started.countRuns()
    if (runs !== expectedRuns) throw new Error(`${runs} runs on record, not ${expectedRuns}`)
    return
  }
  const { requests, runs, received, linked, faults } = await started.count()
  if (runs !== expectedRuns || received !== linked || faults.length > 0)
    throw new Error(
      `${runs} runs of ${expectedRuns}, ${received} files, ${linked} linked, ${faults.join('; ')}`,
    )
  console.log(`  ${requests} requests for ${runs} runs`)
}
