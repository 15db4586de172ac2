import type { ErrorDetail, Problem } from '@runledger/core'
import type { TestModule, TestSuite } from './framework-types'
import { createErrorMapping } from './map-error'
import { listTitles, type ModuleEntities, type ReadTest } from './module-entities'
import { hasObsoleteSnapshots, readErrors, readInternalResult, readMeta } from './read-entity'

type Naming = Pick<Problem, 'name' | 'kind'>

const TYPE_CHECK: Naming = { name: 'Type check' }
const FAILED_TO_LOAD: Naming = { name: 'Suite failed to load' }
const BEFORE_ALL: Naming = { name: 'beforeAll hook', kind: 'hook' }
const AFTER_ALL: Naming = { name: 'afterAll hook', kind: 'hook' }
const OBSOLETE_SNAPSHOT: Naming = { name: 'Obsolete snapshot' }
/** By elimination: no state reports it, as for `aroundAll`. */
const OTHER_HOOK: Naming = { name: 'Suite hook' }

export function mapProblems(
  testModule: TestModule,
  { suites, tests }: ModuleEntities,
  rootDir: string,
): Problem[] {
  const problems = [testModule, ...suites].flatMap((suite) => mapSuiteErrors(suite, rootDir))
  return wasCutShort(testModule, tests) ? [...problems, createInterruption(tests)] : problems
}

function mapSuiteErrors(suite: TestModule | TestSuite, rootDir: string): Problem[] {
  // A passed suite's errors do not count; a failed hook makes it failed or, after a crash, pending.
  if (suite.state() === 'passed') return []
  const names = nameErrors(suite)
  const toDetail = createErrorMapping(suite, rootDir)
  return readErrors(suite).map((error, index) => ({
    ...names(index),
    errors: [locate(toDetail(error), suite)],
  }))
}

/** By the hooks' states: a hook that threw stays `run`. With both, beforeAll threw first. */
function nameErrors(suite: TestModule | TestSuite): (index: number) => Naming {
  if (isTypecheck(suite)) return () => TYPE_CHECK
  if (suite.children.allTests().next().done === true) return () => FAILED_TO_LOAD
  const hooks = readInternalResult(suite).hooks
  const [before, after] = [hooks?.['beforeAll'] === 'run', hooks?.['afterAll'] === 'run']
  if (before && after) return (index) => (index === 0 ? BEFORE_ALL : AFTER_ALL)
  if (before) return () => BEFORE_ALL
  if (after) return () => AFTER_ALL
  // In CI, Vitest 4 and later fail a file for obsolete snapshots.
  return () => (suite.type === 'module' && hasObsoleteSnapshots(suite) ? OBSOLETE_SNAPSHOT : OTHER_HOOK)
}

export function isTypecheck(suite: TestModule | TestSuite): boolean {
  return suite.type === 'module' && readMeta(suite)['typecheck'] === true
}

function locate(error: ErrorDetail, suite: TestModule | TestSuite): ErrorDetail {
  if (suite.type === 'module') return error
  const place = `in describe: ${listTitles(suite).join(' › ')}`
  return { ...error, stack: error.stack === undefined ? place : `${place}\n${error.stack}` }
}

/** True if tests did not run and no error around them explains it. */
export function wasCutShort(testModule: TestModule, tests: readonly ReadTest[]): boolean {
  const state = testModule.state()
  if (state === 'pending' || state === 'queued') return true
  return tests.some(({ testCase, outcome }) => outcome === 'not-run' && !isExplained(testCase.parent))
}

function isExplained(suite: TestModule | TestSuite): boolean {
  if (readErrors(suite).length > 0) return true
  return suite.type === 'suite' && isExplained(suite.parent)
}

function createInterruption(tests: readonly ReadTest[]): Problem {
  const left = tests.filter(({ outcome }) => outcome === 'not-run').length
  const message =
    tests.length === 0
      ? 'The file began and never came to its tests.'
      : `${left} of ${tests.length} tests of this file came to no verdict.`
  return { name: 'Interrupted', errors: [{ message }] }
}
