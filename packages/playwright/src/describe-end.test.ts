import type { FullConfig, FullResult, Suite } from '@playwright/test/reporter'
import { expect, test } from 'vitest'
import { describeEnd, type EndContext } from './describe-end'

type Outcome = 'expected' | 'unexpected' | 'flaky' | 'skipped'

const rootOf = (...outcomes: Outcome[]) =>
  ({
    allTests: () => outcomes.map((outcome) => ({ outcome: () => outcome, expectedStatus: 'passed' })),
  }) as unknown as Suite

const configOf = (fields: object) => ({ version: '1.65.1', failOnFlakyTests: false, ...fields }) as FullConfig

const CONTEXT: EndContext = {
  config: configOf({}),
  root: rootOf('expected', 'unexpected', 'flaky'),
  errorCount: 0,
  isMerge: false,
  argv: [],
}

const describeFailed = (context: Partial<EndContext>, status: FullResult['status'] = 'failed') =>
  describeEnd({ status } as FullResult, { ...CONTEXT, ...context })

test('only failed tests are no other reason', () => {
  expect(describeFailed({})).toEqual({ hasFailed: true, failedTests: 1, otherReasons: [], decides: true })
})

test.each<[string, Partial<EndContext>, FullResult['status'] | undefined]>([
  ['Playwright ended it as timedout', {}, 'timedout'],
  ['Playwright ended it as interrupted', {}, 'interrupted'],
  ['there were errors outside of tests', { errorCount: 1 }, undefined],
  ['1 of 2 tests did not run', { root: rootOf('unexpected', 'skipped') }, undefined],
  ['merged reports are not decided on', { isMerge: true }, undefined],
])('%s', (reason, context, status) => {
  expect(describeFailed(context, status).otherReasons).toEqual([reason])
})

test.each<[string, Partial<EndContext>, boolean]>([
  ['by the setting', { config: configOf({ failOnFlakyTests: true }) }, true],
  [
    'by the flag before 1.52',
    { config: configOf({ version: '1.51.0', failOnFlakyTests: undefined }), argv: ['--fail-on-flaky-tests'] },
    true,
  ],
  ['not before 1.52', { config: configOf({ version: '1.51.0', failOnFlakyTests: undefined }) }, false],
  ['perhaps from 1.52 on', { config: configOf({ version: '1.52.0', failOnFlakyTests: undefined }) }, true],
])('a flaky test may fail it %s', (_title, context, mayFail) => {
  expect(describeFailed(context).otherReasons).toEqual(
    mayFail ? ['flaky tests may fail it (failOnFlakyTests)'] : [],
  )
})
