// Splits the cost of a reporter into a fixed part, a part per file and a part per test.
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { measure, median } from './measure.mjs'
import { createProjects, newestVersion } from './overhead-project.mjs'
import { startStandIn } from './start-service.mjs'

const SIZES = {
  empty: { files: 1, tests: 1 },
  files: { files: 40, tests: 40 },
  tests: { files: 40, tests: 4_000 },
}

/** @param {string} framework @param {number} pairs */
export async function benchParts(framework, pairs) {
  const more = {}
  for (const [name, size] of Object.entries(SIZES)) {
    more[name] = await measureMore(framework, size, pairs)
    const { cpuMs, wallMs } = more[name]
    console.log(
      `  ${framework}, ${size.tests} tests in ${size.files} files: ${cpuMs.toFixed(0)} ms of CPU and ${wallMs.toFixed(0)} ms more`,
    )
  }
  const perFile = (more.files.cpuMs - more.empty.cpuMs) / (SIZES.files.files - SIZES.empty.files)
  const perTest = (more.tests.cpuMs - more.files.cpuMs) / (SIZES.tests.tests - SIZES.files.tests)
  return [
    { name: `${framework}: fixed, CPU time`, target: 140, value: more.empty.cpuMs, unit: 'ms', digits: 0 },
    { name: `${framework}: fixed, wall time`, target: 115, value: more.empty.wallMs, unit: 'ms', digits: 0 },
    { name: `${framework}: for each file, CPU time`, target: 1, value: perFile, unit: 'ms' },
    {
      name: `${framework}: for each test, CPU time`,
      target: 40,
      value: perTest * 1_000,
      unit: 'µs',
      digits: 0,
    },
  ]
}

/** Medians of the differences, with the reporter less without it. */
async function measureMore(framework, { files, tests }, pairs) {
  const version = newestVersion(framework)
  const projects = await createProjects({ framework, version, tests, files, failing: 0, seed: 1 })
  const service = await startStandIn()
  const state = path.join(projects.with.dir, '..', 'state')
  const run = async ({ dir, args }) => {
    const result = await measure(args, { cwd: dir, env: { ...service.variables, XDG_STATE_HOME: state } })
    if (result.exitCode !== 0) throw new Error(`exit code ${result.exitCode}\n${result.output.slice(-2_000)}`)
    return result
  }
  const differences = []
  try {
    // The first of each fills the framework's caches.
    for (let pair = 0; pair <= pairs; pair += 1) {
      const [first, second] = pair % 2 === 0 ? ['without', 'with'] : ['with', 'without']
      const found = { [first]: await run(projects[first]), [second]: await run(projects[second]) }
      if (pair > 0) differences.push(found)
    }
    const counted = await service.count()
    if (counted.runs !== (pairs + 1) * files) throw new Error(`runs are missing: ${JSON.stringify(counted)}`)
  } finally {
    await service.stop()
    await projects.remove()
    await rm(state, { recursive: true, force: true })
  }
  const more = (key) => 1_000 * median(differences.map((pair) => pair.with[key] - pair.without[key]))
  return { cpuMs: more('cpuSeconds'), wallMs: more('wallSeconds') }
}
