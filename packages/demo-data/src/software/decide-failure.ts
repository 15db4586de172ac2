import { type FlakyTest, FLAKY_TESTS } from '../catalogue/flaky-tests'
import { BRANCH_TEST, BROKEN_TESTS, OUTAGE } from '../catalogue/planted'
import type { Failure } from '../catalogue/test-place'
import type { Draw } from '../draw'
import { findPositions } from './plant-commits'
import type { NamedTest } from './name-tests'
import { keyOf } from './name-tests'
import type { BuildPlan, ProjectPlan } from './plan'

/** Why a test fails in a build, and in how many attempts: in all of them unless it is flaky. */
export interface Decision {
  failure: Failure
  failedAttempts: number
  isFlaky: boolean
}

/** Decides whether a test of a project fails in a build. */
export class FailureDecider {
  readonly #flaky: Map<string, FlakyTest>
  readonly #broken: { key: string; from: number; until: number; failure: Failure }[]

  constructor(
    private readonly plan: ProjectPlan,
    private readonly draw: Draw,
  ) {
    const { key } = plan.project
    const positions = findPositions(plan.main.length).broken
    this.#flaky = new Map(
      FLAKY_TESTS.filter(({ project }) => project === key).map((test) => [keyOf(test), test]),
    )
    this.#broken = BROKEN_TESTS.flatMap((test, index) => {
      const { from = 0, until = 0 } = positions[index] ?? {}
      return test.project === key ? [{ key: keyOf(test), from, until, failure: test.failure }] : []
    })
  }

  /** Undefined if the first attempt passes. */
  decide(build: BuildPlan, test: NamedTest): Decision | undefined {
    const failure = this.#findOutage(build, test) ?? this.#findRealFailure(build, test)
    if (failure) return { failure, failedAttempts: this.plan.project.retries + 1, isFlaky: false }
    const flaky = this.#flaky.get(test.key)
    if (flaky && this.#isHit(build, flaky)) return this.#decideFlaky(build, flaky)
    return this.#isRareCase(build, test)
      ? { failure: describeAssertion(test), failedAttempts: 1, isFlaky: true }
      : undefined
  }

  #findOutage(build: BuildPlan, test: NamedTest): Failure | undefined {
    if (!isOfOutage(build, this.plan)) return undefined
    const { key } = this.plan.project
    const running = listRunning(this.plan)
    const offset = this.draw.index(running.length, key, 'outage', build.index)
    const place = (running.indexOf(test.key) + offset) % running.length
    return place < Math.ceil(OUTAGE.share * running.length) ? OUTAGE.failure : undefined
  }

  #findRealFailure(build: BuildPlan, test: NamedTest): Failure | undefined {
    if (build.branch === BRANCH_TEST.branch && test.key === keyOf(BRANCH_TEST)) return BRANCH_TEST.failure
    if (build.breaks.includes(test.key)) return describeAssertion(test)
    const { position } = build.commit
    return this.#broken.find(
      ({ key, from, until }) => key === test.key && position >= from && position < until,
    )?.failure
  }

  /** Whether the flaky test fails in this build: once in each `oneIn` builds. */
  #isHit({ index, kind }: BuildPlan, { oneIn, name }: FlakyTest): boolean {
    if (kind === 'local') return false
    const stretch = Math.floor(index / oneIn)
    return index % oneIn === this.draw.index(oneIn, name, 'flaky', stretch)
  }

  #decideFlaky({ index }: BuildPlan, { name, failure }: FlakyTest): Decision {
    const { retries } = this.plan.project
    let failedAttempts = 1
    while (failedAttempts <= retries && this.draw.chance(0.25, name, 'again', index, failedAttempts))
      failedAttempts += 1
    return { failure, failedAttempts, isFlaky: true }
  }

  /** With retries, any test may fail once in a long while: one test in one of 90 builds. */
  #isRareCase({ index, kind }: BuildPlan, test: NamedTest): boolean {
    const { key, retries } = this.plan.project
    if (retries === 0 || kind === 'local' || !this.draw.chance(1 / 90, key, 'rare', index)) return false
    const running = listRunning(this.plan)
    return running[Math.floor(index / 7) % running.length] === test.key
  }
}

function isOfOutage({ day, kind }: BuildPlan, { outageDay }: ProjectPlan): boolean {
  return day === outageDay && kind !== 'local'
}

const RUNNING = new WeakMap<ProjectPlan, string[]>()

function listRunning(plan: ProjectPlan): string[] {
  const known = RUNNING.get(plan)
  if (known) return known
  const keys = plan.project.suites.flatMap(({ file, tests }) => {
    const running = tests.filter(({ skipped }) => skipped === undefined)
    return running.map(({ titles }) => keyOf({ file, name: titles.join(' › ') }))
  })
  RUNNING.set(plan, keys)
  return keys
}

/** The failure of a test that the build's own change breaks. */
function describeAssertion({ name, key }: NamedTest): Failure {
  const title = name.slice(name.lastIndexOf('›') + 1).trim()
  const expected = 1 + (key.length % 5)
  return {
    message: `AssertionError: ${title}: expected ${expected - 1} to be ${expected}`,
    expected: String(expected),
    actual: String(expected - 1),
    code: `expect(found.length).toBe(${expected})`,
  }
}
