import { describe, expect, it } from 'vitest'
import type { SeenAttempt } from './collect-attempts'
import type { JestAssertion } from './jest-types'
import { matchAttempts } from './match-attempts'

type Final = Partial<JestAssertion>

const final = (status: string, over: Final = {}): JestAssertion => ({
  ancestorTitles: [],
  title: 'same',
  status,
  ...over,
})
const seen = (invocation: number, status: string, over: Partial<SeenAttempt> = {}): SeenAttempt => ({
  ancestorTitles: [],
  title: 'same',
  status,
  invocation,
  failureMessages: [],
  ...over,
})

/** The attempts that each result got, as their places in the list that was seen; undefined where it got none. */
function match(finals: JestAssertion[], attempts: SeenAttempt[]): (number[] | undefined)[] {
  const matched = matchAttempts(finals, attempts)
  return finals.map((each) => matched.get(each)?.map((attempt) => attempts.indexOf(attempt)))
}

describe('matchAttempts', () => {
  it('gives a result the attempts of its titles, in their order', () => {
    const other = { title: 'other' }
    expect(
      match(
        [final('passed', { invocations: 2 }), final('failed', other)],
        [seen(1, 'failed'), seen(1, 'failed', other), seen(2, 'passed')],
      ),
    ).toEqual([[0, 2], [1]])
  })

  it('leaves out tests that did not run', () => {
    expect(match([final('pending'), final('passed')], [seen(1, 'todo'), seen(1, 'passed')])).toEqual([
      undefined,
      [1],
    ])
  })

  it('deals attempts of equal titles out in the order of the tests', () => {
    expect(
      match(
        [final('failed'), final('passed', { invocations: 2 }), final('passed', { invocations: 3 })],
        [1, 1, 1, 2, 2, 3].map((nth, index) => seen(nth, index === 3 || index === 5 ? 'passed' : 'failed')),
      ),
    ).toEqual([[0], [1, 3], [2, 4, 5]])
  })

  it.each([
    [
      'the results tell of more attempts',
      [final('passed', { invocations: 3 })],
      [seen(1, 'failed'), seen(2, 'passed')],
    ],
    ['the results tell of fewer attempts', [final('passed')], [seen(1, 'failed'), seen(2, 'passed')]],
    ['there is a test more', [final('passed'), final('passed')], [seen(1, 'passed')]],
    ['there is a test less', [final('passed')], [seen(1, 'passed'), seen(1, 'passed')]],
    ['nothing was seen', [final('passed')], []],
  ])('gives none where %s', (_, finals, attempts) => {
    expect(match(finals, attempts)).toEqual(finals.map(() => undefined))
  })

  it('gives none to any of equal titles where one of them contradicts what was seen', () => {
    const finals = [final('passed'), final('passed', { invocations: 2 })]
    expect(match(finals, [seen(1, 'passed'), seen(1, 'passed')])).toEqual([undefined, undefined])
  })

  describe('finds tests of equal titles that ended in another order', () => {
    const two = (a: Final, b: Final) => [final('passed', a), final('passed', b)]

    it('by the start of their last attempts', () => {
      const attempts = [seen(1, 'passed', { startedAtMs: 20 }), seen(1, 'passed', { startedAtMs: 10 })]
      expect(match(two({ startAt: 10 }, { startAt: 20 }), attempts)).toEqual([[1], [0]])
      expect(match(two({ startAt: 20 }, { startAt: 10 }), attempts)).toEqual([[0], [1]])
    })

    it('in the order of their ends if no start is reported', () => {
      const attempts = [seen(1, 'passed', { startedAtMs: 20 }), seen(1, 'passed', { startedAtMs: 10 })]
      expect(match(two({}, {}), attempts)).toEqual([[0], [1]])
    })

    it('by the duration of their last attempts, though only starts differ', () => {
      const attempts = [
        seen(1, 'passed', { startedAtMs: 10, durationMs: 7 }),
        seen(1, 'passed', { startedAtMs: 20, durationMs: 5 }),
      ]
      expect(match(two({ duration: 7 }, { duration: 5 }), attempts)).toEqual([[0], [1]])
      expect(match(two({ startAt: 20, duration: 5 }, { startAt: 10, duration: 7 }), attempts)).toEqual([
        [1],
        [0],
      ])
    })

    it('by the number of their attempts', () => {
      const attempts = [
        seen(1, 'passed', { startedAtMs: 30 }),
        seen(1, 'failed', { startedAtMs: 10 }),
        seen(2, 'passed', { startedAtMs: 20 }),
      ]
      const finals = two({ invocations: 2, startAt: 20 }, { startAt: 30 })
      expect(match(finals, attempts)).toEqual([[1, 2], [0]])
    })

    it('by the number of their attempts where the last ones began in the same millisecond', () => {
      const attempts = [
        seen(1, 'failed', { startedAtMs: 10 }),
        seen(1, 'passed', { startedAtMs: 20 }),
        seen(2, 'passed', { startedAtMs: 20 }),
      ]
      const finals = two({ startAt: 20 }, { invocations: 2, startAt: 20 })
      expect(match(finals, attempts)).toEqual([[1], [0, 2]])
    })

    it('never takes an attempt that failed for the last of a test that passed', () => {
      const attempts = [
        seen(1, 'failed', { startedAtMs: 10 }),
        seen(1, 'passed', { startedAtMs: 20 }),
        seen(2, 'passed', { startedAtMs: 30 }),
      ]
      const finals = two({ startAt: 20 }, { invocations: 2, startAt: 30 })
      expect(match(finals, attempts)).toEqual([[1], [0, 2]])
    })
  })

  describe('with equal titles, if Jest reports no starts', () => {
    const attempts = [
      seen(1, 'failed', { startedAtMs: 10, durationMs: 5 }),
      seen(1, 'failed', { startedAtMs: 20, durationMs: 7 }),
      seen(2, 'passed', { startedAtMs: 30, durationMs: 3 }),
    ]
    const finals = (duration: number | null) => [
      final('failed', { duration }),
      final('passed', { invocations: 2, duration: 3 }),
    ]

    it('gives none to either when a duration says that they ended in another order', () => {
      expect(match(finals(5), attempts)).toEqual([[0], [1, 2]])
      expect(match(finals(7), attempts)).toEqual([undefined, undefined])
    })

    it('goes by their order when a result has no duration', () => {
      expect(match(finals(null), attempts)).toEqual([[0], [1, 2]])
    })
  })

  it('takes a test that failed after its attempt had passed, as Jest 30 does', () => {
    expect(match([final('failed')], [seen(1, 'passed')])).toEqual([[0]])
  })
})
