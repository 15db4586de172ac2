// npm run bench -- overhead [--framework F] [--pairs N] [--tests N] [--files N] [--seed N]
// What a reporter costs: the same tests with it and without, in turn; what of it is fixed, what comes with each file and with
// each test; and the time that loading its entry takes.
import path from 'node:path'
import { rm } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { measure, median } from './measure.mjs'
import { benchParts } from './overhead-parts.mjs'
import { createProjects, FRAMEWORK_NAMES, newestVersion } from './overhead-project.mjs'
import { conclude } from './results.mjs'
import { REPOSITORY, startStandIn } from './start-service.mjs'

const FAILING = 0.04
const IMPORTS = 15

const { values } = parseArgs({
  options: {
    framework: { type: 'string' },
    pairs: { type: 'string', default: '7' },
    tests: { type: 'string', default: '4000' },
    files: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
})
const [pairs, tests, files, seed] = [values.pairs, values.tests, values.files, values.seed].map(Number)
const frameworks = values.framework === undefined ? FRAMEWORK_NAMES : [values.framework]

const results = []
for (const framework of frameworks) results.push(...(await benchFramework(framework)))
for (const framework of frameworks) results.push(...(await benchParts(framework, pairs)))
for (const framework of frameworks) results.push(...(await benchImport(framework)))
process.exitCode = conclude(results)

async function benchFramework(framework) {
  const version = newestVersion(framework)
  console.log(
    `\n${framework} ${version}: ${tests} tests in ${files} files, ${FAILING * 100} % failing, seed ${seed}, ` +
      `2 workers, ${pairs} pairs`,
  )
  const projects = await createProjects({ framework, version, tests, files, failing: FAILING, seed })
  const service = await startStandIn()
  try {
    const measured = await runPairs(projects, service)
    await checkRuns(service)
    return summarize(framework, measured)
  } finally {
    await service.stop()
    await projects.remove()
  }
}

/** One run of each first, which nobody counts; then pairs, each in the other order than the one before. */
async function runPairs(projects, service) {
  const state = path.join(projects.with.dir, '..', 'state')
  const run = async (kind) => {
    const { dir, args } = projects[kind]
    const result = await measure(args, { cwd: dir, env: { ...service.variables, XDG_STATE_HOME: state } })
    const said = result.output.includes('Runledger: ')
    if (result.exitCode !== 1 || said !== (kind === 'with'))
      throw new Error(`${kind}: exit code ${result.exitCode}\n${result.output.slice(-2_000)}`)
    return result
  }
  for (const kind of ['without', 'with']) await run(kind)
  const measured = []
  for (let pair = 0; pair < pairs; pair += 1) {
    const order = pair % 2 === 0 ? ['without', 'with'] : ['with', 'without']
    const found = {}
    for (const kind of order) found[kind] = await run(kind)
    measured.push(found)
    console.log(`  ${describe('without', found.without)}   ${describe('with', found.with)}`)
  }
  await rm(state, { recursive: true, force: true })
  return measured
}

function describe(kind, { wallSeconds, cpuSeconds, peakBytes }) {
  const megabytes = (peakBytes / 1024 / 1024).toFixed(0)
  return `${kind}: ${wallSeconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s, ${megabytes} MB`
}

/** A reporter that sends nothing would be cheap: every run, and the logs of those in which a test failed. */
async function checkRuns(service) {
  const expected = (pairs + 1) * files
  const found = await service.count()
  if (found.runs !== expected || found.linked < expected / 2)
    throw new Error(`not ${expected} runs with their logs: ${JSON.stringify(found)}`)
}

function summarize(framework, measured) {
  const ratio = (key) => median(measured.map((pair) => pair.with[key] / pair.without[key]))
  const more = (key) => median(measured.map((pair) => pair.with[key] - pair.without[key])) / 1024 / 1024
  console.log(`  peak memory: ${more('peakBytes').toFixed(1)} MB more`)
  return [
    {
      name: `${framework}: CPU time, with / without`,
      target: 1.03,
      value: ratio('cpuSeconds'),
      unit: '',
      digits: 3,
    },
    {
      name: `${framework}: wall time, with / without`,
      target: 1.02,
      value: ratio('wallSeconds'),
      unit: '',
      digits: 3,
    },
    {
      name: `${framework}: heap of the main process after a collection, more`,
      target: 10,
      value: more('heapBytes'),
      unit: 'MB',
      digits: 1,
    },
  ]
}

/** Each in a process of its own, as a configuration loads it. */
async function benchImport(framework) {
  const entry = path.join(REPOSITORY, 'packages', framework, 'dist/index')
  const ways = {
    require: `const t = performance.now(); require(${JSON.stringify(`${entry}.cjs`)}); console.log(performance.now() - t)`,
    import: `const t = performance.now(); import(${JSON.stringify(`${entry}.js`)}).then(() => console.log(performance.now() - t))`,
  }
  const loads = []
  for (const [way, script] of Object.entries(ways)) {
    const times = []
    for (let index = 0; index < IMPORTS; index += 1) {
      const { output } = await measure(['-e', script], { cwd: REPOSITORY })
      times.push(Number(output))
    }
    const name = `${framework}: ${way} of the entry, median of ${IMPORTS}`
    loads.push({ name, target: 15, value: median(times), unit: 'ms', digits: 1 })
  }
  return loads
}
