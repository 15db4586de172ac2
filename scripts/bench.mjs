// npm run bench -- NAME [options]: measures as ratios of two commands in one run; ends 1 when a target is missed.
//   delivery [--rounds N] [--screenshots N] [--seed N]: bytes through the core against a bare loop of undici
//   overhead [--framework F] [--pairs N] [--tests N] [--files N] [--seed N]: tests with a reporter against without
//   network [--framework F] [--files 40,200] [--round-trips 0,50,150] [--services ours,bare] [--rounds N]: what an execution
//     waits for after its last test, behind a network
//   service [--runs N] [--steps N] [--attachments N] [--seed N] [--only reads,creation,backup,deletion]: a service with many runs
//     --database postgres: on a PostgreSQL that it starts, where --only takes processes and no backup
//   history [--runs N] [--seed N] [--only reads,creation] [--operations NAME]: pages of a year of builds; --database postgres too
//   line [--units N] [--seed N] [--only NAME]: statistics of a production line of many units, and its pages
//   stopped-service [--framework F] [--pairs N]: what an execution waits for when nothing listens
//   run-page [--steps N] [--lines N]: how soon the page of a long run says why it failed, and how it scrolls
//   shards [FOLDER]: how evenly shards end, planned on earlier durations of real suites
//   statistics [FOLDER]: whether our statistics are true, on vectors of other programs and on real histories
//   measurements [--framework F] [--count N]: what tests measure, all of it on record, and what a call costs them
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { prepare } from './prepare.mjs'
import { printUsage } from './print-usage.mjs'

const BENCHES = [
  'delivery',
  'history',
  'line',
  'measurements',
  'network',
  'overhead',
  'run-page',
  'service',
  'shards',
  'statistics',
  'stopped-service',
]
/** Those that run no framework. */
const WITHOUT_FRAMEWORKS = ['history', 'line', 'service', 'shards', 'run-page', 'statistics']
const repository = path.resolve(import.meta.dirname, '..')
const [name = '', ...args] = process.argv.slice(2)
if (!BENCHES.includes(name)) {
  printUsage(import.meta.filename)
  process.exit(name === '--list' ? 0 : 2)
}
prepare({
  browser: ['line', 'run-page'].includes(name),
  frameworks: !WITHOUT_FRAMEWORKS.includes(name),
  // These benchmarks read the sources.
  build: !['shards', 'statistics'].includes(name),
})
const script = path.join(repository, 'test/bench', `${name}.mjs`)
const { status } = spawnSync(process.execPath, [script, ...args], { cwd: repository, stdio: 'inherit' })
process.exitCode = status ?? 1
