// npm run test:postgres [-- --s3|--ceph] [FILTER …]: the tests of the service, of its interface and of its pages, the fuzzer among
// them, with records in a PostgreSQL that is started for them in the place of SQLite. With words, only the test files whose path
// below packages/server/src/ or test/ has one in it; a word that matches none fails. With --s3 their bytes are in a stand-in for
// an S3 store, with --ceph in Ceph's gateway, which is started for them too
// (apt-get install --no-install-recommends radosgw ceph-mon ceph-osd ceph-mgr ceph-common).
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { prepare } from './prepare.mjs'

const words = process.argv.slice(2)
const filters = words.filter((word) => !word.startsWith('--'))
const [storage, ...others] = words.filter((word) => word.startsWith('--'))
if (others.length > 0 || ![undefined, '--s3', '--ceph'].includes(storage)) {
  console.error('It takes one option, --s3 or --ceph.')
  process.exit(1)
}
if (storage !== undefined) process.env.RUNLEDGER_TEST_STORAGE = storage.slice(2)
const ofService = listTests('packages/server/src')
const ofInterface = listTests('test')
for (const word of filters) {
  if ([...ofService, ...ofInterface].some((file) => file.includes(word))) continue
  console.error(`No test file goes with "${word}".`)
  process.exit(1)
}

prepare({ browser: true, frameworks: true, build: true })
process.env.RUNLEDGER_TEST_DATABASE = 'postgres'

/** Tests of what only SQLite has: files that are copied, checked, brought up to date and moved. */
const OF_SQLITE = [
  '**/server/src/upkeep/{back-up,check-data}.test.ts',
  '**/server/src/storage/database/sqlite/migrate.test.ts',
  '**/migrate-storage.test.ts',
]
const excluded = OF_SQLITE.flatMap((pattern) => ['--exclude', pattern])

const isPart = filters.length > 0
const chosen = ofService.filter((file) => filters.some((word) => file.includes(word)))
const ofServer = isPart ? chosen.map((file) => `packages/server/src/${file}`) : ['packages/server/src']
if (ofServer.length > 0) run('vitest.config.ts', [...ofServer, ...excluded])
run('test/vitest.config.ts', [...(isPart ? filters : ['interface/', 'dashboard/', 'postgres/']), ...excluded])

/**
 * Paths below a folder, with `/` between their parts.
 * @param {string} folder
 */
function listTests(folder) {
  const files = readdirSync(new URL(`../${folder}`, import.meta.url), { encoding: 'utf8', recursive: true })
  return files.filter((file) => file.endsWith('.test.ts')).map((file) => file.replaceAll('\\', '/'))
}

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
