import { expect, it } from 'vitest'
import { US_PER_DAY } from '../../base/clock'
import type { Result } from '../../record/results/history/results'
import { FAILED, FLAKY, PASSED, SKIPPED } from '../../storage/database/schema/history'
import { type Judgement, judgeTest } from './judge-test'

const OUTCOMES: Readonly<Record<string, number>> = { s: SKIPPED, p: PASSED, r: FLAKY, f: FAILED, i: FAILED }

/**
 * Builds of one day after the other are separated by blanks. Each letter is a result in an environment of its own, `.` none. After a
 * slash, a rerun of the build has these results. `r` passed on a retry, and `i` failed in an infrastructure build.
 */
function readResults(drawn: string): Result[] {
  return drawn.split(' ').flatMap((ofBuild, index) =>
    ofBuild.split('/').flatMap((ofRun) =>
      [...ofRun].flatMap((letter, environment) => {
        const result: Partial<Result> = {
          build: { id: index + 1, started_at_us: index * US_PER_DAY } as Result['build'],
          environment: `node ${environment}`,
          outcome: OUTCOMES[letter] as number,
          isInfrastructure: letter === 'i',
        }
        return letter === '.' ? [] : [result as Result]
      }),
    ),
  )
}

/** Judges the last build. */
function judge(drawn: string, isWhole = true): Judgement | undefined {
  return judgeTest(drawn.split(' ').length, { results: readResults(drawn), isWhole })
}

it.each([
  'f',
  'p f',
  'p f p f',
  // Infrastructure builds do not count, wherever they are.
  'p i f',
  'p i i f',
  // A build that skipped the test, or ran it in other environments only.
  'p s f',
  '.p f.',
  'p. .f',
  // All environments passed in between, in different builds.
  'f. p. .f',
  'f. f. p. .f',
  'fp p. pf',
  'pf p. .p f.',
  // A rerun that did not run the test changes nothing.
  'p f/s',
  'pp fr',
  'pp ff',
])('%s: the test is newly failing', (drawn) => {
  const doubtfulSince = { id: drawn.split(' ').length }
  expect(judge(drawn)).toMatchObject({ kind: 'test.newly_failing', doubtfulSince })
})

it.each(['p f f f', 'p f i f f', 'p f f i f', 'f s f f', 'f f f', 'pf p. .f pf', 'pf .f ff', 'r f f f'])(
  '%s: the test fails for the third time in a row',
  (drawn) => {
    expect(judge(drawn)).toEqual({ kind: 'test.failing_in_a_row' })
  },
)

it.each([
  'f f',
  'f f f f',
  'f i f f f',
  'f s',
  // In a second environment, too.
  'fp ff',
  // The environment that failed before did not run in between.
  'pf p. pf',
  // One of two environments passes again.
  'ff pf p.',
  // Never three times in a row in one environment.
  'pf p. f. p. f.',
  // The first environment was reported.
  'ff ff ff pf',
  'pf ff ff .f f.',
])('%s: nothing new about a failing test', (drawn) => {
  expect(judge(drawn)).toBeUndefined()
})

it.each([
  ['f p', 1],
  ['p f i p', 2],
  ['fp pp', 1],
  ['pf .p', 1],
  ['ff p. .p', 1],
  ['p f f s p', 2],
  ['f r', 1],
  ['f f/p', 1],
  ['f p/s', 1],
  ['pp pf fp pp', 2],
  // Then it was reported as failing in a row, even if it was flaky.
  ['r f f f p', undefined],
  ['pf p. pf p. pf p. pp', undefined],
])('%s: the test is fixed, unless it was flaky in build %j', (drawn, id) => {
  const since = id === undefined ? {} : { doubtfulSince: expect.objectContaining({ id }) as unknown }
  expect(judge(drawn)).toEqual({ kind: 'test.fixed', ...since })
})

it.each(['pf p.', 'pf f. p.', '.f p.', 'f s', 'f p p', 'p p'])('%s: the test is not fixed', (drawn) => {
  expect(judge(drawn)).toBeUndefined()
})

it.each(['r', 'p r', 'pp rr', 'p i r'])('%s: the test is newly flaky', (drawn) => {
  expect(judge(drawn)).toEqual({ kind: 'test.newly_flaky' })
})

it.each(['r r', 'r p p r', 'f p r'])('%s: the test was flaky or failed before', (drawn) => {
  expect(judge(drawn)).toBeUndefined()
})

it.each([
  ['f', undefined],
  ['r', undefined],
  ['p f', 'test.newly_failing'],
  ['p r', 'test.newly_flaky'],
  ['f f f', undefined],
  ['p f f f', 'test.failing_in_a_row'],
])('%s, with older results that were not read', (drawn, kind) => {
  expect(judge(drawn, false)?.kind).toBe(kind)
})

it('forgets a failure where the test no longer runs, after fifteen days and ten builds', () => {
  const later = ' p.'.repeat(14)
  expect(judge(`pf${later} f.`)).toBeUndefined()
  expect(judge(`pf${later} p. f.`)).toMatchObject({ kind: 'test.newly_failing' })
  expect(judge(`pf${later} p. p.`)).toBeUndefined()
})
