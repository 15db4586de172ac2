import { type CountedStep, countTests, type TestCounts } from '@runledger/protocol'
import type { Problem, Suite, SuiteTest } from '../model/suite'

/** A failed suite has at least one problem or failed test. */
export function listProblems(suite: Suite): Problem[] {
  if (suite.outcome === 'passed') return suite.problems
  const isExplained = suite.problems.length > 0 || suite.tests.some((test) => test.outcome === 'failed')
  return isExplained ? suite.problems : [UNEXPLAINED]
}

// The framework failed the suite and reported no error.
const UNEXPLAINED: Problem = { name: 'Suite failed', errors: [] }

/** Equal to the counts of the run's steps. */
export function countTestsOfSuites(suites: readonly Suite[]): TestCounts {
  const problems = suites.flatMap(listProblems)
  return countTests([
    ...suites.flatMap(({ tests }) => tests.map(toCounted)),
    { kind: 'suite', outcome: 'FAIL', hasFailedBefore: false, isWithin: false, count: problems.length },
  ])
}

function toCounted({ outcome, flaky }: SuiteTest): CountedStep {
  return { kind: 'test', outcome: OUTCOMES[outcome], hasFailedBefore: flaky, isWithin: false }
}

const OUTCOMES = { passed: 'PASS', failed: 'FAIL', skipped: 'SKIP', todo: 'SKIP', 'not-run': 'SKIP' } as const

export function countRetries(suites: readonly Suite[]): number {
  const tests = suites.flatMap((suite) => suite.tests)
  return tests.reduce((sum, { attempts }) => sum + Math.max(0, attempts.length - 1), 0)
}
