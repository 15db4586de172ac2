import { expect, test } from 'vitest'
import { describeEnd } from './describe-end'
import type { JestGlobalConfig, JestRunResults } from './jest-types'

const CONFIG: JestGlobalConfig = {
  rootDir: '/project',
  bail: 0,
  watch: false,
  watchAll: false,
  updateSnapshot: 'new',
  passWithNoTests: false,
  lastCommit: false,
  onlyChanged: false,
  projects: [],
}
const RESULTS: JestRunResults = {
  startTime: 1,
  numTotalTestSuites: 3,
  numFailedTests: 2,
  numRuntimeErrorTestSuites: 0,
  snapshot: { failure: false, filesRemovedList: [] },
}

test('only failed tests are no other reason', () => {
  expect(describeEnd(RESULTS, CONFIG, 3)).toEqual({ hasFailed: true, failedTests: 2, otherReasons: [] })
  expect(describeEnd({ ...RESULTS, numFailedTests: 0 }, CONFIG, 3).hasFailed).toBe(false)
})

test.each<[string, Partial<JestRunResults>, Partial<JestGlobalConfig>, number]>([
  ['1 files could not be run whole', { numRuntimeErrorTestSuites: 1 }, {}, 3],
  ['the test run failed', { runExecError: { message: 'broken' } }, {}, 3],
  ['1 files did not run', {}, {}, 2],
  ['Jest stopped early (bail)', {}, { bail: 2 }, 3],
  [
    'the coverage may be too low (coverageThreshold)',
    {},
    { collectCoverage: true, coverageThreshold: {} },
    3,
  ],
  ['the testResultsProcessor may have failed it', {}, { testResultsProcessor: '/project/count.js' }, 3],
  ['Jest ends at once (forceExit)', {}, { forceExit: true }, 3],
])('%s', (reason, results, config, finishedFiles) => {
  const end = describeEnd({ ...RESULTS, ...results }, { ...CONFIG, ...config }, finishedFiles)
  expect(end.otherReasons).toEqual([reason])
})

test('neither a bail that was not reached nor a threshold without coverage is a reason', () => {
  expect(describeEnd(RESULTS, { ...CONFIG, bail: 3, coverageThreshold: {} }, 3).otherReasons).toEqual([])
})
