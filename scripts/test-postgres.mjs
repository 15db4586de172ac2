// npm run test:postgres [-- FILTER …]: the tests of the service, of its interface and of its pages, the fuzzer among them, with
// records in a PostgreSQL that is started for them in the place of SQLite. With words, only test files that have one in their path.
import { spawnSync } from 'node:child_process'
import { prepare } from './prepare.mjs'

prepare({ browser: true, build: true })
process.env.RUNLEDGER_TEST_DATABASE = 'postgres'

/** Tests of what only SQLite has: files that are copied, checked and brought up to date. */
const OF_SQLITE = [
  '**/server/src/upkeep/{back-up,check-data}.test.ts',
  '**/server/src/database/migrate.test.ts',
]

const filters = process.argv.slice(2)
const left = OF_SQLITE.flatMap((pattern) => ['--exclude', pattern])
run('vitest.config.ts', [...filters, '--dir', 'packages/server', ...left])
run('test/vitest.config.ts', filters.length > 0 ? filters : ['interface', 'dashboard', 'postgres'])

/**
 * @param {string} config
 * @param {string[]} args
 */
function run(config, args) {
  const command = ['node_modules/vitest/vitest.mjs', 'run', '--passWithNoTests', '--config', config, ...args]
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
