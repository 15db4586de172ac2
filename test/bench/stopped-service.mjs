// npm run bench -- stopped-service [--framework F] [--pairs N]
// What an execution of one small file waits for when the local service is not running: with the reporter and without.
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measure, median } from './measure.mjs'
import { createProjects, FRAMEWORK_NAMES, newestVersion } from './overhead-project.mjs'
import { conclude } from './results.mjs'

const { values } = parseArgs({
  options: { framework: { type: 'string' }, pairs: { type: 'string', default: '7' } },
})
const frameworks = values.framework === undefined ? FRAMEWORK_NAMES : [values.framework]

const results = []
for (const framework of frameworks) results.push(await benchFramework(framework))
process.exitCode = conclude(results)

async function benchFramework(framework) {
  const version = newestVersion(framework)
  const projects = await createProjects({ framework, version, tests: 1, files: 1, failing: 0, seed: 1 })
  const env = {
    // Nothing listens on the port of `discard`.
    RUNLEDGER_URL: 'http://127.0.0.1:9',
    RUNLEDGER_API_KEY: 'rl_bench',
    RUNLEDGER_PROCEDURE_ID: 'BENCH',
    XDG_STATE_HOME: path.join(projects.with.dir, '..', 'state'),
  }
  try {
    const waits = []
    for (let pair = 0; pair <= Number(values.pairs); pair += 1) {
      const without = await run(projects.without, env)
      const withReporter = await run(projects.with, env)
      if (
        !withReporter.output.includes('wait in the spool') &&
        !withReporter.output.includes('waits in the spool')
      )
        throw new Error(withReporter.output)
      // The first pair fills the framework's caches.
      if (pair === 0) continue
      waits.push(withReporter.wallSeconds - without.wallSeconds)
      console.log(
        `  ${framework}: without ${without.wallSeconds.toFixed(2)} s, with ${withReporter.wallSeconds.toFixed(2)} s`,
      )
    }
    return { name: `${framework}: more with a stopped service`, target: 0.3, value: median(waits), unit: 's' }
  } finally {
    await projects.remove()
  }
}

async function run({ dir, args }, env) {
  const result = await measure(args, { cwd: dir, env })
  if (result.exitCode !== 0) throw new Error(result.output)
  return result
}
