import { describe, expect, it } from 'vitest'
import { findBorderDistribution } from './change-points'
import { sumHistory, type HistoryResult } from './history'
import {
  listLuciResults,
  LUCI_CHANGE_LIKELIHOOD,
  LUCI_CHANGE_POINTS,
  LUCI_DISTRIBUTIONS,
  LUCI_INTERVALS,
  LUCI_SEGMENTS,
  LUCI_TAILS,
  type LuciRuns,
} from './luci-vectors'
import { findSegments } from './segments'
import { findTestState } from './test-state'

function findDistribution(runs: LuciRuns, consecutive: boolean) {
  const history = sumHistory(listLuciResults(runs))
  return findBorderDistribution(history, { from: 0, to: history.positions.length }, consecutive)
}

describe("segments, LUCI's vectors", () => {
  it.each(LUCI_CHANGE_POINTS)('change points: $name', ({ runs, changePoints }) => {
    const segments = findSegments(listLuciResults(runs), { changeLikelihood: LUCI_CHANGE_LIKELIHOOD })
    expect(segments.slice(1).map(({ from }) => from)).toEqual(changePoints)
  })

  it.each(LUCI_INTERVALS)('99 % interval: $name', ({ runs, after, upTo }) => {
    const distribution = findDistribution(runs, false)
    expect([distribution.quantile(0.005), distribution.quantile(0.995)]).toEqual([after, upTo])
  })

  it.each(LUCI_DISTRIBUTIONS)(
    'distribution: $name, consecutive $consecutive',
    ({ runs, consecutive, expected }) => {
      const distribution = findDistribution(runs, consecutive)
      expect(LUCI_TAILS.map((tail) => distribution.quantile(tail))).toEqual(expected)
    },
  )

  it.each(LUCI_SEGMENTS)('last segment: $name', ({ runs, last }) => {
    expect(findSegments(listLuciResults(runs)).at(-1)).toMatchObject(last)
  })
})

describe('findSegments', () => {
  it('finds none without results', () => {
    expect(findSegments([])).toEqual([])
  })

  it('counts results of each segment', () => {
    const segments = findSegments([...listResults(100, false), ...listResults(20, true, 100)])
    expect(segments).toMatchObject([
      { from: 0, to: 100, counts: { results: 100, failed: 0 }, border: undefined },
      { from: 100, to: 120, counts: { results: 20, failed: 20 }, border: { after: 98, upTo: 100 } },
    ])
  })

  it('refuses results out of order', () => {
    expect(() =>
      findSegments([
        { position: 2, failed: false },
        { position: 1, failed: false },
      ]),
    ).toThrow('position 1 of result 1 is below the one before, 2')
  })

  it('is fast for 500 positions', () => {
    const flaky = Array.from({ length: 500 }, (_, i) => ({ position: i, failed: i % 7 === 0 || i > 300 }))
    findSegments(flaky)
    const start = performance.now()
    for (let i = 0; i < 5; i++) findSegments(flaky)
    // Ten times the usual limit of 20 ms, because other tests run beside it. `npm run bench -- statistics` measures it.
    expect((performance.now() - start) / 5).toBeLessThan(200)
  })
})

describe('findTestState', () => {
  const brokenAtEnd = [...listResults(381, false), ...listResults(5, true, 381)]
  const failedLast = [...listResults(20, false), ...listResults(1, true, 20)]
  it.each([
    ['unknown', 'no results', []],
    ['unknown', '100 passed', listResults(100, false)],
    ['healthy', '381 passed', listResults(381, false)],
    ['unknown', '3 failed', listResults(3, true)],
    ['broken', '4 failed', listResults(4, true)],
    ['broken', '5 failed after 381 passed', brokenAtEnd],
    ['unknown', 'the last result failed', failedLast],
    ['unknown', 'one failed and 10 passed', [...failedLast, ...listResults(10, false, 21)]],
    [
      'flaky',
      'two results failed, each followed by passes',
      [
        ...failedLast,
        ...listResults(5, false, 21),
        ...listResults(1, true, 26),
        ...listResults(5, false, 27),
      ],
    ],
    [
      'flaky',
      'the last result passed on a retry',
      [...failedLast, { position: 21, failed: true, retry: 'passed' }],
    ],
    ['healthy', '50 failed, then 400 passed', [...listResults(50, true), ...listResults(400, false, 50)]],
  ] as const)('%s: %s', (state, _, results) => {
    expect(findTestState(results, findSegments(results))).toBe(state)
  })
})

function listResults(count: number, failed: boolean, from = 0): HistoryResult[] {
  return Array.from({ length: count }, (_, i) => ({ position: from + i, failed }))
}

// `GET /v2/home` examines no test with fewer failures.
it.each([4, 6, 20, 60])('calls no test broken by one or two failures of %i results', (count) => {
  const places = Array.from({ length: count }, (_, place) => place)
  const states = places.map((first) =>
    places.map((second) => {
      const results = Array.from({ length: count + 1 }, (_, index): HistoryResult => ({
        position: index + 1,
        failed: index === first || index === second,
      }))
      return findTestState(results, findSegments(results))
    }),
  )
  expect(states.flat()).not.toContain('broken')
})
