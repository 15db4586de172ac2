/** What random changes of the history should have come to: the same, counted from the runs that are left. */

const BRANCHES = ['main', 'feature', ''] as const
const NAMES = ['adds', 'removes', 'counts'] as const
const OUTCOMES = ['passed', 'flaky', 'failed', 'skipped'] as const
export type ModelOutcome = (typeof OUTCOMES)[number]

export interface ModelRun {
  id: string
  group: string
  branch: string
  file: string
  results: Map<string, { outcome: ModelOutcome; ms: number }>
}

export interface TestCounts {
  results: number
  failed: number
  flaky: number
  /** Microseconds, rounded. */
  mean: number | null
}

export class HistoryModel {
  runs: ModelRun[] = []
  readonly #random: () => number
  readonly #files: readonly string[]

  /** @param random numbers from 0 to 1 */
  constructor(random: () => number, files: readonly string[] = ['a.test.ts', 'b.test.ts']) {
    this.#random = random
    this.#files = files
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item
  }

  /** Forgets the other runs. */
  keep(isLeft: (run: ModelRun) => boolean): void {
    this.runs = this.runs.filter(isLeft)
  }

  pickBranch(): string {
    return this.pick(BRANCHES)
  }

  /** A run that may be created, and the request for that. */
  draw(): { run: ModelRun; request: Record<string, unknown> } {
    const run: ModelRun = {
      id: '',
      group: `ci-${Math.floor(this.#random() * 12)}`,
      branch: this.pickBranch(),
      file: this.pick(this.#files),
      results: new Map(
        NAMES.filter(() => this.#random() < 0.8).map((name) => [
          name,
          { outcome: this.pick(OUTCOMES), ms: 1 + Math.floor(this.#random() * 500) },
        ]),
      ),
    }
    const started = new Date(Date.now() - this.#random() * 30 * 86_400_000).toISOString()
    return { run, request: createRequest(run, started) }
  }
}

function createRequest({ group, branch, file, results }: ModelRun, started: string): Record<string, unknown> {
  return {
    started_at: started,
    report_variables: { group, git_branch: branch, file },
    run_passed: [...results.values()].every(({ outcome }) => outcome !== 'failed'),
    steps: [...results].flatMap(([name, { outcome, ms }]) =>
      outcome === 'skipped' ? [] : [createStep(name, outcome, { ms, started })],
    ),
    skipped: [...results].flatMap(([name, { outcome }]) => (outcome === 'skipped' ? [{ name }] : [])),
  }
}

function createStep(name: string, outcome: ModelOutcome, { ms, started }: { ms: number; started: string }) {
  const half = { started_at: started, duration: 'PT0.001S' }
  return {
    name,
    kind: 'test',
    step_passed: outcome !== 'failed',
    started_at: started,
    duration: `PT${ms / 1000}S`,
    ...(outcome === 'failed' ? { error: { message: `${name} failed` } } : {}),
    ...(outcome === 'flaky'
      ? {
          attempts: [
            { ...half, outcome: 'FAIL', errors: [{ message: 'late' }] },
            { ...half, outcome: 'PASS' },
          ],
        }
      : {}),
  }
}

/** What each test of these runs came to on a branch, by its file and name, or by what that is an earlier name of. */
export function countTestsOfModel(
  runs: readonly ModelRun[],
  branch: string | undefined,
  nameOf: (key: string) => string = (key) => key,
): Record<string, TestCounts> {
  const sums = new Map<string, { passed: number; flaky: number; failed: number; ms: number }>()
  for (const run of runs) {
    if (branch !== undefined && run.branch !== branch) continue
    for (const [name, { outcome, ms }] of run.results) {
      if (outcome === 'skipped') continue
      const key = nameOf(`${run.file} ${name}`)
      const sum = sums.get(key) ?? { passed: 0, flaky: 0, failed: 0, ms: 0 }
      sum[outcome] += 1
      if (outcome === 'passed') sum.ms += ms
      sums.set(key, sum)
    }
  }
  return Object.fromEntries(
    [...sums].map(([key, { passed, flaky, failed, ms }]) => [
      key,
      {
        results: passed + flaky + failed,
        failed: failed + flaky,
        flaky,
        mean: passed === 0 ? null : Math.round((ms / passed) * 1000),
      },
    ]),
  )
}

/** How many runs and results each build of these runs has, by its group. */
export function countBuildsOfModel(
  runs: readonly ModelRun[],
): Record<string, Record<ModelOutcome | 'runs', number>> {
  const builds: Record<string, Record<ModelOutcome | 'runs', number>> = {}
  for (const { group, results } of runs) {
    const build = (builds[group] ??= { runs: 0, passed: 0, flaky: 0, failed: 0, skipped: 0 })
    build.runs += 1
    for (const { outcome } of results.values()) build[outcome] += 1
  }
  return builds
}

/** The same of what `GET /v2/tests` and `GET /v2/builds` answered. */
export function countListedTests(
  data: readonly {
    file: string | null
    name: string
    results: number
    failures: { count: number }
    flakes: { count: number }
    mean_ms: number | null
  }[],
): Record<string, TestCounts> {
  return Object.fromEntries(
    data.map(({ file, name, results, failures, flakes, mean_ms: mean }) => [
      `${file} ${name}`,
      {
        results,
        failed: failures.count,
        flaky: flakes.count,
        mean: mean === null ? null : Math.round(mean * 1000),
      },
    ]),
  )
}

export function countListedBuilds(
  data: readonly { group: string; runs: { total: number }; tests: Record<ModelOutcome, number> }[],
): Record<string, Record<ModelOutcome | 'runs', number>> {
  return Object.fromEntries(data.map(({ group, runs, tests }) => [group, { runs: runs.total, ...tests }]))
}
