// npm run conformance [-- --framework F]: every behaviour × framework version × Node on the built packages, then
// FEATURES.md of each reporter.
import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { prepare } from './prepare.mjs'

const { values } = parseArgs({ options: { framework: { type: 'string' } } })
const frameworks = values.framework === undefined ? ['jest', 'vitest', 'playwright'] : [values.framework]
const repository = path.resolve(import.meta.dirname, '..')

/** @param {string[]} args @param {NodeJS.ProcessEnv} [env] */
function runNode(args, env = process.env) {
  return spawnSync(process.execPath, args, { cwd: repository, stdio: 'inherit', env }).status ?? 1
}

prepare({ browser: true, build: true })
if (runNode(['test/support/install-frameworks.mjs', '--every-node']) !== 0) process.exit(1)

const results = path.join(repository, '.cache/conformance')
rmSync(results, { recursive: true, force: true })
mkdirSync(results, { recursive: true })
const vitest = [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  // A line for each behaviour as it ends: the whole takes most of an hour.
  '--reporter=verbose',
  '--maxWorkers=1',
  ...frameworks.map((name) => `conformance/${name}.test.ts`),
]
const status = runNode(vitest, { ...process.env, CONFORMANCE: 'whole' })
const written = runNode(['scripts/write-features.mjs'])
process.exitCode = status === 0 ? written : status
