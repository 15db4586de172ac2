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
}

/**
 * The steps of a run: one for each test that ran, in the order of execution, then one failing step for each error
 * that the framework attributes to no test. A failed suite has at least one failing step.
 */
export function listSteps(source: RunSource): PlannedStep[] {
  const names = new UniqueNames()
  const steps: PlannedStep[] = []
  for (const suite of source.suites) {
    const prefix = source.namesFiles ? [suite.file] : []
    const tests = suite.tests
      .filter((test) => hasRun(test.outcome))
      .map((test) => planTestStep(suite, test, prefix))
      .sort((a, b) => a.startedAtMs - b.startedAtMs)
    const problems = listProblems(suite).map((problem) => planProblemStep(suite, problem, prefix))
    for (const step of [...tests, ...problems]) {
      step.name = names.take(step.name)
      steps.push(step)
    }
  }
  return steps
}

type ToldProblem = Pick<Problem, 'name' | 'atMs'>

function planTestStep(suite: Suite, test: SuiteTest, prefix: readonly string[]): PlannedStep {
  return {
    name: formatStepName([...prefix, ...test.titles]),
    passed: test.outcome === 'passed',
    startedAtMs: test.startedAtMs,
    durationMs: test.durationMs,
    suite,
    test,
  }
}

function planProblemStep(
  suite: Suite,
  { name, atMs = suite.startedAtMs }: ToldProblem,
  prefix: readonly string[],
): PlannedStep {
  const full = formatStepName([...prefix, cleanName(name)])
  return { name: full, passed: false, startedAtMs: atMs, durationMs: 0, suite }
}

function listProblems(suite: Suite): ToldProblem[] {
  if (suite.outcome === 'passed') return suite.problems
  const isExplained = suite.problems.length > 0 || suite.tests.some((test) => test.outcome === 'failed')
  return isExplained ? suite.problems : [UNEXPLAINED]
}

// The framework failed the suite without an error that it told reporters.
const UNEXPLAINED: ToldProblem = { name: 'Suite failed' }
