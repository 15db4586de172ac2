import { expect, it } from 'vitest'
import type { Result } from '../../record/results/history/results'
import { FAILED, FLAKY, PASSED, SKIPPED } from '../../storage/database/schema/history'
import { judgeTest, type TestKind } from './judge-test'

const OUTCOMES: Readonly<Record<string, number>> = { s: SKIPPED, p: PASSED, r: FLAKY, f: FAILED, i: FAILED }

/**
 * Results in the order of their runs: builds are separated by blanks, a letter is a result in an environment of its build, and `.`
 * none. After a slash, the run has these environments again. `i` fails in an infrastructure build, and `@c` is the commit.
 */
function readResults(drawn: string): Result[] {
  return drawn.split(' ').flatMap((ofBuild, build) => {
    const [letters = '', commit] = ofBuild.split('@')
    return letters.split('/').flatMap((ofRun, run) =>
      [...ofRun].flatMap((letter, environment) => {
        const result: Partial<Result> = {
          build: { id: build + 1, git_commit: commit ?? null } as Result['build'],
          environment: `node ${environment}`,
          rerun: run === 0 ? null : String(run),
          outcome: OUTCOMES[letter] as number,
          isInfrastructure: letter === 'i',
          started_at_us: build * 1000,
        }
        return letter === '.' ? [] : [result as Result]
      }),
    )
  })
}

/** Of the last build. */
function judge(drawn: string, isWhole = true): TestKind[] {
  const results = readResults(drawn)
  return judgeTest(drawn.split(' ').length, { results, isWhole, nowUs: 10_000 })
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
  // A rerun that did not run the test changes nothing.
  'p f/s',
  'pp fr',
])('%s: is newly failing', (drawn) => {
  expect(judge(drawn)).toEqual(['test.newly_failing'])
})

it.each(['p f f f', 'p f i f f', 'p f f i f', 'f s f f', 'f f f', 'pp pf .f ff', 'r f f f'])(
  '%s: fails three times in a row',
  (drawn) => {
    expect(judge(drawn)).toEqual(['test.failing_in_a_row'])
  },
)

it.each([
  'f f',
  'f f f f',
  'f i f f f',
  // In a second environment, too.
  'fp ff',
  // The environment that failed before did not run in between.
  'pf p. pf',
  // Known to be flaky: on a retry, and by both verdicts of a commit.
  'r p f',
  'p@c f@c',
  'f',
])('%s: is not newly failing, and not for the third time', (drawn) => {
  expect(judge(drawn, drawn !== 'f')).toEqual([])
})

it.each(['f p', 'f i p', 'fp pp', 'ff pp', 'f s p', 'f r', 'r f f f p', 'f f/p', 'f p/s'])(
  '%s: is fixed or flaky',
  (drawn) => {
    expect(judge(drawn)).toEqual(['test.fixed'])
  },
)

it.each([
  'p p',
  'f p p',
  // Fails elsewhere, or has not run where it failed.
  'pf p.',
  'fp .p',
  'f s',
  // Flaky, or it passed on the commit on which it failed.
  'r f p',
  'f@c p@c',
])('%s: is not fixed', (drawn) => {
  expect(judge(drawn)).toEqual([])
})

it.each(['r', 'p r', 'pp rr', 'p i r'])('%s: is newly flaky', (drawn) => {
  expect(judge(drawn)).toEqual(['test.newly_flaky'])
})

it.each(['r r', 'r p p r', 'f p r'])('%s: is not newly flaky', (drawn) => {
  expect(judge(drawn)).toEqual([])
})

it('counts no row whose beginning may not have been read', () => {
  expect(judge('f f f', false)).toEqual([])
  expect(judge('p f f f', false)).toEqual(['test.failing_in_a_row'])
})
