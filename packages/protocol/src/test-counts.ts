import type { PhaseOutcome } from './resources/outcomes'
import type { Phase } from './resources/run'
import type { StepKind } from './resources/test-facts'
import { formatWholeNumber } from './whole-number'

/** The tests of a run by how they ended. */
export interface TestCounts {
  /** Flaky tests included. */
  passed: number
  failed: number
  /** Tests that did not run, for whatever reason. */
  skipped: number
  /** Tests that failed, and then passed on a retry. */
  flaky: number
  /** Failed hooks, and errors that belong to no test. */
  errors: number
}

/** The report variable of each count. */
export const COUNT_VARIABLES = {
  passed: 'tests_passed',
  failed: 'tests_failed',
  skipped: 'tests_skipped',
  flaky: 'tests_flaky',
  errors: 'errors_outside_tests',
} as const satisfies Record<keyof TestCounts, string>

const COUNTED = Object.keys(COUNT_VARIABLES) as (keyof TestCounts)[]

export interface CountedStep {
  /** `skipped` is a test that did not run. Steps of other tools have no kind. */
  kind: StepKind | 'skipped' | null | undefined
  outcome: PhaseOutcome
  /** See `hasFailedBefore`. */
  hasFailedBefore: boolean
  /** True for a part of another step. */
  isWithin: boolean
  /** How many steps are like this one; by default 1. */
  count?: number
}

/** Undefined for a step that is neither a test nor an error outside of tests. */
export type CountedAs = 'passed' | 'flaky' | 'failed' | 'skipped' | 'error'

export function classifyStep(step: CountedStep): CountedAs | undefined {
  const { kind, outcome, isWithin } = step
  const hasFailed = outcome === 'FAIL' || outcome === 'ERROR'
  if (kind === 'hook' || kind === 'suite') return hasFailed ? 'error' : undefined
  if (kind === 'step' || kind === 'measurement' || (!kind && isWithin)) return undefined
  if (kind === 'skipped' || outcome === 'SKIP') return 'skipped'
  if (hasFailed) return 'failed'
  return step.hasFailedBefore ? 'flaky' : 'passed'
}

interface Retried {
  retry_count: number
  attempts?: readonly { outcome: PhaseOutcome }[] | undefined
}

/** True when an attempt before the last one failed. Where attempts are not on record, every retry follows a failure. */
export function hasFailedBefore({ retry_count: retries, attempts = [] }: Retried): boolean {
  if (attempts.length === 0) return retries > 0
  return attempts.slice(0, -1).some(({ outcome }) => outcome === 'FAIL' || outcome === 'ERROR')
}

/** The one rule by which the tests of a run are counted. */
export function countTests(steps: Iterable<CountedStep>): TestCounts {
  const counts: TestCounts = { passed: 0, failed: 0, skipped: 0, flaky: 0, errors: 0 }
  for (const step of steps) {
    const { count = 1 } = step
    const countedAs = classifyStep(step)
    if (countedAs === undefined) continue
    counts[countedAs === 'error' ? 'errors' : countedAs] += count
    if (countedAs === 'flaky') counts.passed += count
  }
  return counts
}

type CountedPhase = Pick<Phase, 'kind' | 'outcome' | 'parent' | 'retry_count' | 'attempts'>

export function countPhases({
  phases,
  skipped = [],
}: {
  phases: readonly CountedPhase[]
  skipped?: readonly object[] | undefined
}): TestCounts {
  const steps = phases.map((phase): CountedStep => ({
    kind: phase.kind,
    outcome: phase.outcome,
    hasFailedBefore: hasFailedBefore(phase),
    isWithin: phase.parent !== undefined,
  }))
  const unrun = { kind: 'skipped', outcome: 'SKIP', hasFailedBefore: false, isWithin: false } as const
  return countTests([...steps, { ...unrun, count: skipped.length }])
}

/** Reads counts from report variables; undefined when there are none. */
export function readTestCounts(
  variables: Readonly<Record<string, unknown>> | undefined,
): TestCounts | undefined {
  if (!variables || COUNTED.every((name) => variables[COUNT_VARIABLES[name]] === undefined)) return undefined
  return mapCounts((name) => Number(variables[COUNT_VARIABLES[name]] ?? 0) || 0)
}

export function sumTestCounts(counts: readonly TestCounts[]): TestCounts {
  return mapCounts((name) => counts.reduce((sum, each) => sum + each[name], 0))
}

function mapCounts(count: (name: keyof TestCounts) => number): TestCounts {
  return Object.fromEntries(COUNTED.map((name) => [name, count(name)])) as Record<keyof TestCounts, number>
}

/** Failed tests, and errors outside of tests: each of them is a failing step. */
export function countFailures({ failed, errors }: TestCounts): number {
  return failed + errors
}

/** `3 passed (1 flaky), 1 failed, 2 skipped, 1 error outside of tests`; `none` without any. */
export function formatTestCounts(counts: TestCounts): string {
  const { passed, failed, skipped, flaky, errors } = counts
  if (passed + failed + skipped + errors === 0) return 'none'
  const flakyPart = flaky > 0 ? ` (${formatWholeNumber(flaky)} flaky)` : ''
  return [
    `${formatWholeNumber(passed)} passed${flakyPart}`,
    `${formatWholeNumber(failed)} failed`,
    skipped > 0 ? `${formatWholeNumber(skipped)} skipped` : '',
    errors > 0 ? formatOutsideErrors(errors) : '',
  ]
    .filter((part) => part !== '')
    .join(', ')
}

/** `2 errors outside of tests` */
export function formatOutsideErrors(count: number): string {
  return `${formatWholeNumber(count)} error${count === 1 ? '' : 's'} outside of tests`
}
