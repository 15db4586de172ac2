import { expect, test } from 'vitest'
import { JEST_CONFIG, JEST_RESULTS } from '../../../test/support/jest-results'
import { describeEnd } from './describe-end'
import type { JestGlobalConfig, JestRunResults } from './jest-types'

const RESULTS: JestRunResults = { ...JEST_RESULTS, numTotalTestSuites: 3, numFailedTests: 2 }

test('only failed tests are no other reason', () => {
  expect(describeEnd(RESULTS, JEST_CONFIG, 3)).toEqual({ hasFailed: true, failedTests: 2, otherReasons: [] })
  expect(describeEnd({ ...RESULTS, numFailedTests: 0 }, JEST_CONFIG, 3).hasFailed).toBe(false)
})

test.each<[string, Partial<JestRunResults>, Partial<JestGlobalConfig>, number]>([
  ['1 of 3 files could not be run whole', { numRuntimeErrorTestSuites: 1 }, {}, 3],
  ['the test run failed', { runExecError: { message: 'broken' } }, {}, 3],
  ['1 of 3 files did not run', {}, {}, 2],
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
  const end = describeEnd({ ...RESULTS, ...results }, { ...JEST_CONFIG, ...config }, finishedFiles)
  expect(end.otherReasons).toEqual([reason])
})

test('neither a bail that was not reached nor a threshold without coverage is a reason', () => {
  expect(describeEnd(RESULTS, { ...JEST_CONFIG, bail: 3, coverageThreshold: {} }, 3).otherReasons).toEqual([])
})
