// npm run test:postgres [-- FILTER …]: the tests of the service, of its interface and of its pages, the fuzzer among them, with
// records in a PostgreSQL that is started for them in the place of SQLite. With words, only the test files whose path below
// packages/server/src/ or test/ begins with one.
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
const isPart = filters.length > 0
const ofServer = isPart ? filters.map((word) => `packages/server/src/${word}`) : ['packages/server/src']
run('vitest.config.ts', [...ofServer, ...OF_SQLITE.flatMap((pattern) => ['--exclude', pattern])])
run('test/vitest.config.ts', isPart ? filters : ['interface', 'dashboard', 'postgres'])

/**
 * @param {string} config
 * @param {string[]} args
 */
function run(config, args) {
  // Of one of the two configs there may be none that has such a word.
  const options = ['--config', config, ...(isPart ? ['--passWithNoTests'] : [])]
  const command = ['node_modules/vitest/vitest.mjs', 'run', ...options, ...args]
  const { status } = spawnSync(process.execPath, command, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
