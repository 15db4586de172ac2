// Failures of Apache Ozone's CI, each with what was known when it happened and how it turned out. A job counts as a test,
// its failing test classes as fingerprints.
import { readRows } from './statistics-data.mjs'

/** Failures whose outcome counts as the project's experience. */
const REPEATS = 50
const RESULTS = 500

/**
 * Replays the executions in their order. The outcome of a failure is known where the job ran on the commit at least twice:
 * `true` (real) when it failed every time.
 * @param {string} folder @param {any} statistics the package's exports
 */
export function replayOzone(folder, { readHistoryFacts }) {
  const executions = readExecutions(folder)
  const verdicts = groupVerdicts(executions)
  const memory = createMemory()
  const failures = []
  for (const execution of executions) {
    for (const job of execution.jobs.filter(({ failed }) => failed)) {
      const outcomes = verdicts.get(keyOf(execution, job)) ?? []
      failures.push({
        key: execution.key,
        facts: readFacts(memory, execution, { job, readHistoryFacts }),
        isFirst: !memory.commits.has(execution.sha),
        real: outcomes.length < 2 ? undefined : outcomes.every(Boolean),
      })
    }
    remember(memory, execution)
  }
  return failures.filter(({ real }) => real !== undefined)
}

function readExecutions(folder) {
  const jobs = groupBy(readRows(folder, 'ozone-jobs.csv.gz'), ({ key }) => key)
  const classes = groupBy(readRows(folder, 'ozone-failed-classes.csv.gz'), ({ key, job }) => `${key} ${job}`)
  const runs = readRows(folder, 'ozone-runs.csv.gz').toSorted(
    (a, b) => compare(a.created_at, b.created_at) || Number(a.run_number) - Number(b.run_number),
  )
  const positions = new Map()
  return runs.map(({ key, head_sha: sha, created_at: createdAt }) => {
    if (!positions.has(sha)) positions.set(sha, positions.size)
    const verdicts = (jobs.get(key) ?? []).filter(({ conclusion }) => /^(success|failure)$/.test(conclusion))
    return {
      key,
      sha,
      position: positions.get(sha),
      atMs: Date.parse(createdAt),
      jobs: verdicts
        .toSorted((a, b) => compare(a.job, b.job))
        .map(({ job, conclusion }) => ({
          name: job,
          failed: conclusion === 'failure',
          classes: (classes.get(`${key} ${job}`) ?? classes.get(`${key} ${shortName(job)}`) ?? []).map(
            (row) => row.test_class,
          ),
        })),
    }
  })
}

const compare = (a, b) => (a < b ? -1 : Number(a > b))

/** The failing classes have a job's earlier name: `integration (client)` was `it-client`, `basic (unit)` was `unit`. */
function shortName(job) {
  return job.replace(/^integration \((.*)\)$/, 'it-$1').replace(/^basic \((.*)\)$/, '$1')
}

const keyOf = ({ sha }, { name }) => `${sha} ${name}`

/** Whether each execution of a job on a commit failed. */
function groupVerdicts(executions) {
  const verdicts = new Map()
  for (const execution of executions)
    for (const job of execution.jobs) append(verdicts, keyOf(execution, job), job.failed)
  return verdicts
}

function createMemory() {
  return {
    commits: new Set(),
    /** Results of each job. */
    results: new Map(),
    /** Results of each job on each commit. */
    onCommit: new Map(),
    seenClasses: new Set(),
    flakyClasses: new Set(),
    /** Failures without a pass on their commit before, in order, and whether they failed again once they were repeated. */
    unexplained: [],
  }
}

function readFacts(memory, execution, { job, readHistoryFacts }) {
  const results = (memory.results.get(job.name) ?? []).slice(-RESULTS)
  const earlier = results.map((result) => ({ ...result, sameCommit: result.sha === execution.sha }))
  const classes = [...new Set(job.classes)]
  const others = execution.jobs.filter((other) => other !== job && other.failed)
  const repeated = memory.unexplained.filter(({ failedAgain }) => failedAgain !== undefined).slice(-REPEATS)
  return {
    ...readHistoryFacts(earlier, execution.atMs),
    fingerprints: {
      n: classes.length,
      seen: classes.filter((name) => memory.seenClasses.has(name)).length,
      flaky: classes.filter((name) => memory.flakyClasses.has(name)).length,
    },
    otherNewFailures: others.filter(({ name }) => memory.results.get(name)?.at(-1)?.failed !== true).length,
    repeats: { failedAgain: repeated.filter((one) => one.failedAgain).length, n: repeated.length },
    infrastructure: false,
  }
}

function remember(memory, execution) {
  memory.commits.add(execution.sha)
  for (const job of execution.jobs) {
    const key = keyOf(execution, job)
    rememberOutcome(memory, key, job)
    append(memory.onCommit, key, job)
    append(memory.results, job.name, {
      failed: job.failed,
      sha: execution.sha,
      position: execution.position,
      atMs: execution.atMs,
    })
  }
}

/** What a verdict says of the earlier failures of the job on this commit, and of its own. */
function rememberOutcome(memory, key, job) {
  const before = memory.onCommit.get(key) ?? []
  const passedBefore = before.some(({ failed }) => !failed)
  for (const failure of memory.unexplained.filter((one) => one.commitKey === key))
    failure.failedAgain = job.failed && failure.failedAgain !== false
  for (const name of job.classes) memory.seenClasses.add(name)
  const proven = passedBefore ? job.classes : job.failed ? [] : before.flatMap(({ classes }) => classes)
  for (const name of proven) memory.flakyClasses.add(name)
  if (job.failed && !passedBefore)
    memory.unexplained.push({ commitKey: key, failedAgain: before.length > 0 ? true : undefined })
}

function append(map, key, value) {
  const values = map.get(key)
  if (values === undefined) map.set(key, [value])
  else values.push(value)
}

function groupBy(rows, keyOfRow) {
  const groups = new Map()
  for (const row of rows) append(groups, keyOfRow(row), row)
  return groups
}
