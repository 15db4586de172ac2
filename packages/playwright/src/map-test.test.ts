import type { TestCase, TestResult } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import { mapTest } from './map-test'

type Status = TestResult['status']

interface Tries {
  statuses: Status[]
  /** Types of each attempt's annotations; versions before 1.52 have none. */
  annotated?: string[][]
  /** Types of the annotations of the test itself, which are those of its last attempt. */
  annotations?: string[]
}

/** A test that failed or passed, and skipped itself in its last attempt; Playwright calls it flaky. */
function mapSkippedAtLast({ statuses, annotated, annotations = ['skip'] }: Tries) {
  const typed = (types: string[]) => types.map((type) => ({ type }))
  const results = statuses.map((status, index) => ({
    status,
    errors: [],
    attachments: [],
    startTime: new Date(1000 * index),
    duration: 100,
    workerIndex: index,
    ...(annotated && { annotations: typed(annotated[index] ?? []) }),
  }))
  const test = {
    results,
    expectedStatus: 'skipped',
    annotations: typed(annotations),
    outcome: () => 'flaky',
    titlePath: () => ['', '', 'a.spec.ts', 'reads'],
  }
  const { outcome, flaky, attempts } = mapTest(test as unknown as TestCase, () => undefined)
  return { outcome, flaky, attempts: attempts.length }
}

describe('a test that skips itself in its last attempt', () => {
  it.each<[string, Tries, string, boolean]>([
    ['passed', { statuses: ['passed', 'skipped'] }, 'passed', false],
    ['failed, then passed', { statuses: ['failed', 'passed', 'skipped'] }, 'passed', true],
    ['never passed', { statuses: ['failed', 'timedOut', 'skipped'] }, 'failed', false],
    [
      'failed as expected',
      { statuses: ['failed', 'skipped'], annotated: [['fail'], ['fail', 'skip']] },
      'passed',
      false,
    ],
    [
      'failed before it was expected to',
      { statuses: ['failed', 'skipped'], annotated: [[], ['fail', 'skip']], annotations: ['fail', 'skip'] },
      'failed',
      false,
    ],
    [
      'failed as expected, in an old version',
      { statuses: ['failed', 'skipped'], annotations: ['fail', 'skip'] },
      'passed',
      false,
    ],
    [
      'passed against expectation',
      { statuses: ['passed', 'skipped'], annotations: ['fail', 'skip'] },
      'failed',
      false,
    ],
  ])('and %s before is what it came to', (_, tries, outcome, flaky) => {
    expect(mapSkippedAtLast(tries)).toEqual({ outcome, flaky, attempts: tries.statuses.length })
  })
})
