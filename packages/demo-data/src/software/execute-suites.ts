import { SLOWER_TEST } from '../catalogue/planted'
import type { Draw } from '../draw'
import type { FailureDecider } from './decide-failure'
import type { ExecutedTest } from './map-test'
import { sumDurations } from './map-test'
import { keyOf, type NamedSuite, type NamedTest } from './name-tests'
import { findPositions } from './plant-commits'
import type { BuildPlan, ProjectPlan } from './plan'

export interface ExecutedSuite {
  suite: NamedSuite
  startedAtMs: number
  durationMs: number
  tests: readonly ExecutedTest[]
}

/** One execution of suites in sequence. `rerun` is 0 for the first execution of a build. */
export interface Execution {
  build: BuildPlan
  suites: readonly NamedSuite[]
  startedAtMs: number
  rerun: number
}

const BETWEEN_TESTS_MS = 4
const BETWEEN_SUITES_MS = 350
/** Relative deviation of one test's durations. */
const NOISE = 0.05
/** A developer's machine is faster than the CI's. */
const LOCAL_FACTOR = 0.6

/** Simulates an execution: decides how tests end and how long they take. */
export class Executor {
  constructor(
    private readonly plan: ProjectPlan,
    private readonly decider: FailureDecider,
    private readonly draw: Draw,
  ) {}

  execute(execution: Execution): ExecutedSuite[] {
    let atMs = execution.startedAtMs
    return execution.suites.map((suite) => {
      const startedAtMs = atMs
      const running = suite.tests.filter(({ spec }) => spec.skipped === undefined)
      const tests = running.map((test) => {
        const executed = this.#executeTest(test, execution, atMs)
        atMs += Math.ceil(sumDurations(executed)) + BETWEEN_TESTS_MS
        return executed
      })
      const durationMs = atMs - startedAtMs
      atMs += BETWEEN_SUITES_MS
      return { suite, startedAtMs, durationMs, tests }
    })
  }

  #executeTest(test: NamedTest, { build, rerun }: Execution, startedAtMs: number): ExecutedTest {
    const decided = this.decider.decide(build, test)
    // A rerun of a flaky test passes.
    const decision = rerun > 0 && decided?.isFlaky ? undefined : decided
    const { retries } = this.plan.project
    const attempts = Math.min(retries, decision?.failedAttempts ?? 0) + 1
    const usualMs = this.#findUsual(test, build)
    const durationsMs = Array.from({ length: attempts }, (_, attempt) => {
      const noise = NOISE * this.draw.normal('duration', test.key, build.index, rerun, attempt)
      return Math.max(1, Math.round(usualMs * Math.exp(noise)))
    })
    return { test, decision, startedAtMs, durationsMs }
  }

  #findUsual({ key }: NamedTest, { kind, commit }: BuildPlan): number {
    const { project, main } = this.plan
    const factor = kind === 'local' ? LOCAL_FACTOR : 1
    if (project.key === SLOWER_TEST.project && key === keyOf(SLOWER_TEST)) {
      const isSlower = commit.position >= findPositions(main.length).slower
      return factor * SLOWER_TEST.usualMs * (isSlower ? SLOWER_TEST.factor : 1)
    }
    const [least, most] = project.durationsMs
    return factor * least * (most / least) ** this.draw.fraction('usual', project.key, key)
  }
}
