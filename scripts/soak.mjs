// npm run soak -- NAME [options]: checks that take long, by name.
//   random-trees [--seed N] [--trees N] [--only I] [--framework F] [--version V]: random tests against an oracle
//   kills [--kills N] [--seed N] [--framework F] [--moment end]: SIGKILL of real executions at random moments, or while they deliver
//   outages: every way to misbehave of a service × framework
//   mutated-results [--mutants N] [--seed N]: recorded results with one field changed, against the framework's verdict
//   service-kills [--kills N] [--seed N]: the service killed under load; nothing acknowledged lost, nothing by halves
//   cluster-kills [--kills N] [--seed N]: three services of one PostgreSQL and one bucket; they and the database killed, the bucket away
//   history-changes [--changes N] [--seed N] [--database postgres]: random changes of the history, killed in between, against a recount
//   migrate-storage [--runs N] [--megabytes N] [--seed N]: a folder moved to PostgreSQL and a bucket and back, killed five times each way
//   full-disk: the service on a file system of 64 MB that fills up; for root, with `mount`
//   cases: every case of the tests that draw some in CI, but for those of `npm run conformance`: versions, runners, package managers
//   bisect-simulations [--simulations N] [--seed N]: searches of the bad commit of 256, against plain bisection with repeats
//   bisect [--repositories N]: real repositories of 256 commits, searched with the service and node:test
//   installs: init in an empty project and back, each framework × language × package manager
//   fuzz [--requests N] [--seed N]: requests made from the service's own description, valid and hostile
//   quarantine [--executions N] [--seed N]: mutated executions of the four frameworks: none green that should not be, none red
//   mutation [--package jest|vitest|playwright|core]: mutants of the mapping against replays of recorded executions
import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { prepare } from './prepare.mjs'
import { printUsage } from './print-usage.mjs'

const repository = path.resolve(import.meta.dirname, '..')

const vitest = (tests) => [
  'node_modules/vitest/vitest.mjs',
  'run',
  '--config',
  'test/vitest.config.ts',
  tests,
]

/** Each soak: the command that Node runs, what has to be there for it, and the variables that its options become. */
const SOAKS = {
  'random-trees': {
    command: vitest('conformance/random-trees'),
    needs: { frameworks: true, build: true },
    defaults: { SOAK_TREES: '200' },
    options: {
      seed: 'SOAK_SEED',
      trees: 'SOAK_TREES',
      only: 'SOAK_ONLY',
      framework: 'SOAK_FRAMEWORK',
      version: 'SOAK_VERSION',
    },
  },
  kills: {
    command: vitest('delivery/killed-frameworks'),
    needs: { frameworks: true, build: true },
    defaults: { SOAK_KILLS: '100' },
    options: { kills: 'SOAK_KILLS', seed: 'SOAK_SEED', framework: 'SOAK_FRAMEWORK', moment: 'SOAK_MOMENT' },
  },
  outages: {
    command: vitest('delivery/misbehaving-services'),
    needs: { frameworks: true, build: true },
    defaults: { SOAK_OUTAGES: 'all' },
    options: {},
  },
  'mutated-results': {
    // Beside the code, with the fast tests.
    command: ['node_modules/vitest/vitest.mjs', 'run', '/src/mutated-results'],
    needs: {},
    defaults: { SOAK_MUTANTS: '5000' },
    options: { mutants: 'SOAK_MUTANTS', seed: 'SOAK_SEED' },
  },
  'service-kills': {
    command: vitest('soak/service-kills'),
    needs: { build: true },
    defaults: { SOAK_KILLS: '200' },
    options: { kills: 'SOAK_KILLS', seed: 'SOAK_SEED' },
  },
  'cluster-kills': {
    command: vitest('soak/cluster-kills'),
    needs: { build: true },
    defaults: { SOAK_KILLS: '200' },
    options: { kills: 'SOAK_KILLS', seed: 'SOAK_SEED' },
  },
  'history-changes': {
    command: vitest('soak/history-changes'),
    needs: { build: true },
    defaults: { SOAK_CHANGES: '10000' },
    options: { changes: 'SOAK_CHANGES', seed: 'SOAK_SEED', database: 'RUNLEDGER_TEST_DATABASE' },
  },
  'migrate-storage': {
    command: vitest('soak/migrate-storage'),
    needs: { build: true },
    defaults: { SOAK_RUNS: '100000', SOAK_MEGABYTES: '10000' },
    options: { runs: 'SOAK_RUNS', megabytes: 'SOAK_MEGABYTES', seed: 'SOAK_SEED' },
  },
  'full-disk': {
    command: vitest('soak/full-disk'),
    needs: { build: true },
    defaults: {},
    options: {},
  },
  cases: {
    command: [...vitest('frameworks/'), 'packaging/', 'cli/', 'delivery/'],
    needs: { browser: true, frameworks: true, build: true, 'package-managers': true },
    defaults: { SOAK_CASES: 'all' },
    options: {},
  },
  'bisect-simulations': {
    // Beside the code, with the fast tests.
    command: ['node_modules/vitest/vitest.mjs', 'run', 'statistics/src/bisection'],
    needs: {},
    defaults: { SOAK_SIMULATIONS: '200' },
    options: { simulations: 'SOAK_SIMULATIONS', seed: 'SOAK_SEED' },
  },
  bisect: {
    command: vitest('cli/bisect'),
    needs: { build: true },
    defaults: { SOAK_REPOSITORIES: '5' },
    options: { repositories: 'SOAK_REPOSITORIES' },
  },
  installs: {
    command: vitest('packaging/installs'),
    needs: { frameworks: true, build: true, 'package-managers': true },
    defaults: { SOAK_INSTALLS: 'all' },
    options: {},
  },
  fuzz: {
    command: vitest('interface/fuzz/fuzz'),
    needs: { build: true },
    defaults: { SOAK_REQUESTS: '20000' },
    options: { requests: 'SOAK_REQUESTS', seed: 'SOAK_SEED' },
  },
  quarantine: {
    // The four frameworks at once: some executions only wait.
    command: [...vitest('soak/quarantine'), '--maxConcurrency=4'],
    needs: { frameworks: true, build: true },
    defaults: { SOAK_EXECUTIONS: '10000' },
    options: { executions: 'SOAK_EXECUTIONS', seed: 'SOAK_SEED' },
  },
  mutation: {
    command: ['test/mutation/run.mjs'],
    needs: {},
    defaults: {},
    options: { package: 'MUTATION_PACKAGE' },
  },
}

const [name, ...args] = process.argv.slice(2)
const soak = SOAKS[name]
if (!soak) {
  printUsage(import.meta.filename)
  process.exit(name === '--list' ? 0 : 2)
}
const { values } = parseArgs({
  args,
  options: Object.fromEntries(Object.keys(soak.options).map((option) => [option, { type: 'string' }])),
})
const chosen = Object.entries(values).map(([option, value]) => [soak.options[option], value])
prepare(soak.needs)
const { status } = spawnSync(process.execPath, soak.command, {
  cwd: repository,
  stdio: 'inherit',
  env: { ...process.env, ...soak.defaults, ...Object.fromEntries(chosen) },
})
process.exitCode = status ?? 1
