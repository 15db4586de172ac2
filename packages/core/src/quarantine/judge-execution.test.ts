import { createHash } from 'node:crypto'
import { fingerprintText, type QuarantineList } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import {
  createRequests,
  createAttempt,
  createSuite,
  createTest,
  FACTS,
} from '../../../../test/support/suites'
import type { ErrorDetail } from '../model/error-detail'
import type { FrameworkEnd } from '../model/framework-end'
import type { Attempt, Suite, SuiteTest } from '../model/suite'
import { isPassed } from '../record/run-source'
import { describeJudgement } from './describe-judgement'
import { judgeExecution, type JudgedExecution, type Judgement } from './judge-execution'

const NOW_MS = Date.UTC(2026, 10, 20, 12)
const FILE = 'src/math.test.ts'
const KNOWN = {
  message: 'connect ECONNREFUSED',
  stack: 'Error: connect ECONNREFUSED\n    at dial (src/net.ts:3:1)',
}
const OTHER = { message: 'off by one' }

type Entry = QuarantineList['entries'][number]

const print = (error: ErrorDetail) => createHash('sha256').update(fingerprintText(error)).digest('hex')

function entry(over: Partial<Entry> = {}): Entry {
  const ends_at = new Date(NOW_MS + 1).toISOString()
  return {
    id: 'q-1',
    project: null,
    file: FILE,
    name: 'net › dials',
    fingerprint: print(KNOWN),
    ends_at,
    ...over,
  }
}

const failing = (errors: ErrorDetail[], over: Partial<Attempt> = {}) =>
  createAttempt({ status: 'failed', errors, ...over })

const dials = (over: Partial<SuiteTest> = {}) =>
  createTest(['net', 'dials'], { outcome: 'failed', attempts: [failing([KNOWN])], ...over })

const suiteOf = (tests: SuiteTest[], over: Partial<Suite> = {}) =>
  createSuite({ outcome: 'failed', tests, ...over })

function judge(
  suites: Suite[],
  {
    end,
    entries = [entry()],
    ...over
  }: Partial<Omit<JudgedExecution, 'end'>> & {
    end?: Partial<FrameworkEnd>
    entries?: Entry[]
  } = {},
): Judgement {
  const counted = suites.flatMap(({ tests }) => tests).filter(({ outcome }) => outcome === 'failed').length
  const runs = createRequests(suites)
  expect(runs.map(({ run_passed }) => run_passed)).toEqual(
    suites.map((suite) => isPassed({ suites: [suite] })),
  )
  return judgeExecution({
    end: { hasFailed: true, failedTests: counted, otherReasons: [], ...end },
    runs,
    suites,
    lostRuns: 0,
    findList: () => ({ entries, nowMs: NOW_MS }),
    ...over,
  })
}

const green = createSuite({ file: 'src/other.test.ts', tests: [createTest(['adds'])] })

describe('an execution passes if', () => {
  const tests: [string, () => Judgement][] = [
    ['its only failure is quarantined', () => judge([suiteOf([dials(), createTest(['adds'])]), green])],
    [
      'any error of its only failed test is',
      () =>
        judge([suiteOf([dials({ attempts: [failing([OTHER])] })])], {
          entries: [entry({ fingerprint: null })],
        }),
    ],
    [
      'a failure without an error is, by any error',
      () =>
        judge([suiteOf([dials({ attempts: [failing([])] })])], { entries: [entry({ fingerprint: null })] }),
    ],
    [
      'the errors of all attempts are',
      () =>
        judge(
          [suiteOf([dials({ attempts: [failing([OTHER]), failing([KNOWN], { status: 'timedOut' })] })])],
          { entries: [entry(), entry({ fingerprint: print(OTHER) })] },
        ),
    ],
    [
      'only a known error came before the last attempt passed in another test',
      () =>
        judge([
          suiteOf([
            dials(),
            createTest(['settles'], { flaky: true, attempts: [failing([OTHER]), createAttempt()] }),
          ]),
        ]),
    ],
    [
      'changing parts of the message differ',
      () =>
        judge([suiteOf([dials({ attempts: [failing([{ message: 'took 31 ms' }])] })])], {
          entries: [entry({ fingerprint: print({ message: 'took 7 ms' }) })],
        }),
    ],
    [
      'a test failed only by one inside of it, which is',
      () =>
        judge([
          suiteOf([
            createTest(['net'], {
              outcome: 'failed',
              attempts: [failing([{ message: '1 subtest failed' }], { failsByInner: true })],
            }),
            dials(),
          ]),
        ]),
    ],
    [
      'the file is the one that declares the test',
      () =>
        judge([suiteOf([dials({ location: { file: 'src/shared.ts', line: 3 } })])], {
          entries: [entry({ file: 'src/shared.ts' })],
        }),
    ],
    [
      'the project is the one of the entry',
      () => judge([suiteOf([dials()], { project: 'firefox' })], { entries: [entry({ project: 'firefox' })] }),
    ],
    [
      'a failed step is one inside the quarantined test',
      () =>
        judge([
          suiteOf([
            dials({
              attempts: [
                failing([KNOWN], {
                  events: [
                    {
                      kind: 'step',
                      name: 'dial',
                      passed: false,
                      atMs: FACTS.startedAtMs,
                      durationMs: 1,
                      order: 1,
                      error: OTHER,
                    },
                  ],
                }),
              ],
            }),
          ]),
        ]),
    ],
  ]
  it.each(tests)('%s', (_, decide) => {
    const { reasons, quarantined } = decide()
    expect(reasons).toEqual([])
    expect(quarantined.length).toBeGreaterThan(0)
  })
})

describe('an execution fails if', () => {
  const tests: [string, () => Judgement, string][] = [
    [
      'a quarantined test has a new error',
      () => judge([suiteOf([dials({ attempts: [failing([OTHER])] })])]),
      `"net › dials" failed with an error that is not quarantined (fingerprint ${print(OTHER)})`,
    ],
    [
      'it has a new error beside the known one',
      () => judge([suiteOf([dials({ attempts: [failing([KNOWN, OTHER])] })])]),
      `"net › dials" failed with an error that is not quarantined (fingerprint ${print(OTHER)})`,
    ],
    [
      'an earlier attempt has a new error',
      () => judge([suiteOf([dials({ attempts: [failing([OTHER]), failing([KNOWN])] })])]),
      `"net › dials" failed with an error that is not quarantined (fingerprint ${print(OTHER)})`,
    ],
    [
      'an earlier attempt has no error',
      () => judge([suiteOf([dials({ attempts: [failing([]), failing([KNOWN])] })])]),
      'the record lacks errors of "net › dials"',
    ],
    [
      'an attempt was cut short',
      () =>
        judge([suiteOf([dials({ attempts: [failing([], { status: 'interrupted' }), failing([KNOWN])] })])], {
          entries: [entry({ fingerprint: null })],
        }),
      'the record lacks errors of "net › dials"',
    ],
    [
      'it failed without an error',
      () => judge([suiteOf([dials({ attempts: [failing([])] })])]),
      'the record lacks errors of "net › dials"',
    ],
    [
      'there are more errors than the record holds',
      () => judge([suiteOf([dials({ attempts: [failing(Array.from({ length: 200 }, () => KNOWN))] })])]),
      'the record lacks errors of "net › dials"',
    ],
    [
      'there are more attempts than the record holds',
      () => judge([suiteOf([dials({ attempts: Array.from({ length: 200 }, () => failing([KNOWN])) })])]),
      'the record lacks errors of "net › dials"',
    ],
    [
      'another test failed',
      () =>
        judge([
          suiteOf([dials(), createTest(['adds'], { outcome: 'failed', attempts: [failing([KNOWN])] })]),
        ]),
      '"adds" is not quarantined',
    ],
    [
      'a test of that name failed in another file',
      () => judge([suiteOf([dials()], { file: 'src/b.test.ts' })]),
      '"net › dials" is not quarantined',
    ],
    [
      'a test of that name failed in another project',
      () => judge([suiteOf([dials()], { project: 'firefox' })]),
      '"net › dials" is not quarantined',
    ],
    [
      'a file could not be loaded',
      () => judge([suiteOf([dials()], { problems: [{ name: 'Suite failed to load', errors: [KNOWN] }] })]),
      '"Suite failed to load" failed, which is no test',
    ],
    [
      'a hook outside of tests failed',
      () =>
        judge([suiteOf([dials()], { problems: [{ name: 'afterAll hook', kind: 'hook', errors: [KNOWN] }] })]),
      '"afterAll hook" failed, which is no test',
    ],
    [
      'a hook of the test failed',
      () =>
        judge([suiteOf([dials({ attempts: [failing([KNOWN], { failsOutside: true })] })])], {
          entries: [entry({ fingerprint: null })],
        }),
      '"net › dials" failed in a hook or its file',
    ],
    [
      'there was an unhandled error',
      () =>
        judge([
          suiteOf([dials()]),
          suiteOf([], { file: '(execution)', problems: [{ name: 'Unhandled error', errors: [KNOWN] }] }),
        ]),
      '"Unhandled error" failed, which is no test',
    ],
    [
      'a passed file has an error of its own',
      () =>
        judge([
          suiteOf([dials()]),
          createSuite({
            file: 'b',
            tests: [createTest(['adds'])],
            problems: [{ name: 'Unhandled error', errors: [] }],
          }),
        ]),
      '"Unhandled error" failed, which is no test',
    ],
    [
      'a file failed, and none of its tests',
      () => judge([suiteOf([dials()]), suiteOf([createTest(['adds'])], { file: 'b.test.ts' })]),
      '"Suite failed" failed, which is no test',
    ],
    [
      'a step outside of tests failed',
      () =>
        judge([
          suiteOf([dials()], {
            events: [{ kind: 'step', name: 'set up', passed: false, atMs: 0, durationMs: 1, order: 1 }],
          }),
        ]),
      '"set up" failed, which is no test',
    ],
    [
      'a test did not run',
      () => judge([suiteOf([dials(), createTest(['later'], { outcome: 'not-run', attempts: [] })])]),
      '"later" did not run',
    ],
    [
      'a test of a passed file did not run',
      () =>
        judge([
          suiteOf([dials()]),
          createSuite({ file: 'b', tests: [createTest(['later'], { outcome: 'not-run', attempts: [] })] }),
        ]),
      '"later" did not run',
    ],
    [
      'the framework has another reason',
      () => judge([suiteOf([dials()])], { end: { otherReasons: ['the coverage is too low'] } }),
      'the coverage is too low',
    ],
    [
      'the framework counts more failed tests than are on record',
      () => judge([suiteOf([dials()])], { end: { failedTests: 2 } }),
      '2 tests failed, and only 1 of them are on record',
    ],
    ['no failed test is on record', () => judge([green]), 'no test that failed is on record'],
    ['nothing is on record', () => judge([]), 'no test that failed is on record'],
    [
      'a run is lost',
      () => judge([suiteOf([dials()])], { lostRuns: 1 }),
      'a part of the execution is neither with the service nor kept for it',
    ],
    [
      'the entry has ended',
      () => judge([suiteOf([dials()])], { entries: [entry({ ends_at: new Date(NOW_MS).toISOString() })] }),
      'the quarantine of "net › dials" has ended',
    ],
    [
      'the entry for any error has ended, and another is for another error',
      () =>
        judge([suiteOf([dials()])], {
          entries: [
            entry({ fingerprint: null, ends_at: new Date(NOW_MS - 1).toISOString() }),
            entry({ fingerprint: print(OTHER) }),
          ],
        }),
      `"net › dials" failed with an error that is not quarantined (fingerprint ${print(KNOWN)})`,
    ],
    [
      'a test failed whose name is that of one that only an inner test failed',
      () => {
        const outer = failing([{ message: '1 subtest failed' }], { failsByInner: true })
        const named = [
          createTest(['net'], { outcome: 'failed', attempts: [failing([OTHER])] }),
          createTest(['net'], { outcome: 'failed', attempts: [outer] }),
          dials(),
        ]
        return judge([suiteOf(named)], { entries: [entry(), entry({ name: 'net (2)', fingerprint: null })] })
      },
      '"net" is not quarantined',
    ],
    [
      'the list is empty',
      () => judge([suiteOf([dials()])], { entries: [] }),
      '"net › dials" is not quarantined',
    ],
    [
      'there is no list',
      () => judge([suiteOf([dials()])], { findList: () => ({ reason: 'the list has a wrong signature' }) }),
      'the list has a wrong signature',
    ],
    [
      'a test failed only by one inside of it, which is not on record',
      () =>
        judge([
          suiteOf([
            createTest(['net'], { outcome: 'failed', attempts: [failing([KNOWN], { failsByInner: true })] }),
          ]),
        ]),
      '"net" is not quarantined',
    ],
  ]
  it.each(tests)('%s', (_, decide, reason) => {
    expect(decide().reasons).toEqual([reason])
  })
})

it('describes why an execution passes or fails in one line', () => {
  const passes = judge([suiteOf([dials()])])
  expect(describeJudgement(passes, true)).toBe(
    '1 failure is quarantined (net › dials), and nothing else failed',
  )
  expect(describeJudgement(passes, false)).toBe(
    '1 failure is quarantined (net › dials), but only "runledger run -- COMMAND" lets the execution pass',
  )
  const many = { reasons: [], quarantined: ['a', 'b', 'c', 'd', 'e', 'f'] }
  expect(describeJudgement(many, true)).toBe(
    '6 failures are quarantined (a, b, c, d, e, 1 more), and nothing else failed',
  )
  expect(describeJudgement({ reasons: ['x', 'y', 'x'], quarantined: ['a'] }, true)).toBe(
    'the execution fails: x; y',
  )
})
