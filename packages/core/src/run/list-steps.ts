import type { SuiteTest, Suite, Problem } from '../suite'
import { hasRun, type RunSource } from './run-source'
import { cleanName, formatStepName, UniqueNames } from './step-name'

/** A step of a run before it becomes a record: a test that ran, or an error that belongs to no test. */
export interface PlannedStep {
  name: string
  passed: boolean
  startedAtMs: number
  durationMs: number
  suite: Suite
  test?: SuiteTest
  problem?: Problem
}

/**
 * The steps of a run: one for each test that ran, in the order of execution, then one failing step for each error
 * that the framework attributes to no test. A failed suite has at least one failing step.
 */
export function listSteps(source: RunSource): PlannedStep[] {
  const names = new UniqueNames()
  return source.suites.flatMap((suite) => {
    const prefix = source.namesFiles ? [suite.file] : []
    const tests = suite.tests
      .filter((test) => hasRun(test.outcome))
      .map((test) => planTestStep(suite, test))
      .sort((a, b) => a.startedAtMs - b.startedAtMs)
    const problems = listProblems(suite).map((problem) => planProblemStep(suite, problem))
    return [...tests, ...problems].map((step) => ({
      ...step,
      name: names.take(formatStepName([...prefix, ...(step.test?.titles ?? [cleanName(step.name)])])),
    }))
  })
}

function planTestStep(suite: Suite, test: SuiteTest): PlannedStep {
  return {
    name: '',
    passed: test.outcome === 'passed',
    startedAtMs: test.startedAtMs,
    durationMs: test.durationMs,
    suite,
    test,
  }
}

function planProblemStep(suite: Suite, problem: Problem): PlannedStep {
  const startedAtMs = problem.atMs ?? suite.startedAtMs
  return { name: problem.name, passed: false, startedAtMs, durationMs: 0, suite, problem }
}

function listProblems(suite: Suite): Problem[] {
  if (suite.outcome === 'passed') return suite.problems
  const isExplained = suite.problems.length > 0 || suite.tests.some((test) => test.outcome === 'failed')
  return isExplained ? suite.problems : [UNEXPLAINED]
}

const UNEXPLAINED: Problem = {
  name: 'Suite failed',
  errors: [{ message: 'The framework failed this suite without an error that it told reporters.' }],
}
