import type { BetaPrior } from './beta-binomial'
import type { HistoryResult } from './history'

/**
 * LUCI's test vectors, from luci/luci-go, `analysis/internal/changepoints` at 22eba00a (Apache-2.0): the numbers of
 * `bayesian/bayesian_test.go`, `bayesian/confidence_interval_test.go`, `bayesian/sequence_likelihood_test.go` and
 * `analyzer/analyzer_test.go`.
 */
export interface LuciRuns {
  readonly positions: readonly number[]
  /** Runs of each entry. */
  readonly total: readonly number[]
  /** Runs with a failing attempt, those of them that were retried, and those that failed again. */
  readonly failed: readonly number[]
  readonly retried?: readonly number[]
  readonly failedAfterRetry?: readonly number[]
}

/** The results that LUCI's `VerdictsWithRetries` makes of such counts. */
export function listLuciResults(runs: LuciRuns): HistoryResult[] {
  return runs.positions.flatMap((position, entry) =>
    Array.from({ length: runs.total[entry] ?? 0 }, (_, i): HistoryResult => {
      if (i < (runs.failedAfterRetry?.[entry] ?? 0)) return { position, failed: true, retry: 'failed' }
      if (i < (runs.retried?.[entry] ?? 0)) return { position, failed: true, retry: 'passed' }
      return { position, failed: i < (runs.failed[entry] ?? 0) }
    }),
  )
}

const upTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1)
const times = (n: number, value: number) => Array.from({ length: n }, () => value)

const PASS_TO_FAIL = { positions: upTo(6), total: [2, 2, 1, 1, 2, 2], failed: [0, 0, 0, 1, 2, 2] }
const TWO_COMMITS = { positions: [1, 1, 2, 2, 2, 2], total: [3, 3, 1, 2, 3, 3], failed: [0, 0, 0, 2, 3, 3] }
const PASS_TO_FLAKE = {
  positions: upTo(16),
  total: times(16, 2),
  failed: [...times(6, 0), ...times(10, 1)],
}
const FLAKE_TO_FAIL = {
  positions: upTo(16),
  total: times(16, 2),
  failed: [...times(6, 1), ...times(10, 2)],
}
const PASS_ON_RETRY_TO_FAIL = {
  positions: upTo(8),
  total: times(8, 2),
  failed: times(8, 2),
  retried: times(8, 2),
  failedAfterRetry: [0, 0, 0, 0, 2, 2, 2, 2],
}
const FAIL_TO_FLAKY_ON_RETRY = {
  positions: [1, 2, 3, 5, 5, 5, 7, 7],
  total: [3, 3, 3, 1, 3, 3, 3, 3],
  failed: [3, 3, 3, 1, 3, 3, 3, 3],
  retried: [3, 3, 3, 1, 3, 3, 3, 3],
  failedAfterRetry: [3, 3, 3, 1, 0, 0, 1, 1],
}

/** Indexes of the results at which segments begin, with LUCI's probability of a change in these tests, 0.01. */
export const LUCI_CHANGE_LIKELIHOOD = 0.01
export const LUCI_CHANGE_POINTS: readonly { name: string; runs: LuciRuns; changePoints: number[] }[] = [
  { name: 'pass to fail 1', runs: PASS_TO_FAIL, changePoints: [5] },
  { name: 'pass to fail 2', runs: { ...PASS_TO_FAIL, failed: [0, 0, 1, 1, 2, 2] }, changePoints: [4] },
  { name: 'pass to flake, two commits', runs: TWO_COMMITS, changePoints: [6] },
  {
    name: 'pass to fail to pass',
    runs: {
      positions: upTo(14),
      total: [2, 2, 3, 2, 3, 1, 1, 2, 2, 3, 2, 3, 2, 2],
      failed: [0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 2, 3, 0, 0],
    },
    changePoints: [12, 26],
  },
  { name: 'pass to flake', runs: PASS_TO_FLAKE, changePoints: [12] },
  { name: 'flake to fail', runs: FLAKE_TO_FAIL, changePoints: [12] },
  { name: 'pass', runs: { positions: upTo(8), total: times(8, 2), failed: times(8, 0) }, changePoints: [] },
  { name: 'fail', runs: { positions: upTo(8), total: times(8, 2), failed: times(8, 2) }, changePoints: [] },
  {
    name: 'flake',
    runs: { positions: upTo(8), total: times(8, 2), failed: [1, 0, 1, 0, 0, 1, 0, 2] },
    changePoints: [],
  },
  { name: 'pass on retry to fail on retry', runs: PASS_ON_RETRY_TO_FAIL, changePoints: [8] },
  {
    name: 'fail on retry',
    runs: { ...PASS_ON_RETRY_TO_FAIL, failedAfterRetry: times(8, 2) },
    changePoints: [],
  },
  { name: 'fail on retry to flaky on retry', runs: FAIL_TO_FLAKY_ON_RETRY, changePoints: [9] },
]

/** 99 % intervals of the only change: after position `after`, at `upTo` or before. */
export const LUCI_INTERVALS: readonly { name: string; runs: LuciRuns; after: number; upTo: number }[] = [
  { name: '6 positions', runs: PASS_TO_FAIL, after: 1, upTo: 5 },
  {
    name: '4 positions with 2 entries each',
    runs: { positions: [1, 1, 2, 2, 3, 3, 4, 4], total: times(8, 2), failed: [0, 0, 0, 0, 1, 1, 1, 1] },
    after: 1,
    upTo: 4,
  },
  { name: '2 positions with several entries', runs: TWO_COMMITS, after: 1, upTo: 2 },
  { name: 'pass to flake', runs: PASS_TO_FLAKE, after: 2, upTo: 14 },
  { name: 'flake to fail', runs: FLAKE_TO_FAIL, after: 2, upTo: 14 },
  { name: 'pass on retry to fail on retry', runs: PASS_ON_RETRY_TO_FAIL, after: 3, upTo: 6 },
  { name: 'fail on retry to flaky on retry', runs: FAIL_TO_FLAKY_ON_RETRY, after: 2, upTo: 5 },
]

/** Tails at which LUCI keeps the distribution of a change. */
export const LUCI_TAILS = [
  0.0005, 0.005, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.5, 0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.995, 0.9995,
]

const SPARSE = { positions: [90, 100, 200, 210], total: times(4, 5), failed: [0, 0, 5, 5] }
const SPARSE_2 = { positions: [90, 100, 110, 120, 2000], total: [5, 5, 2, 2, 2], failed: [0, 0, 2, 2, 2] }
const SPARSE_3 = { ...SPARSE_2, positions: [90, 100, 1010, 1020, 1030] }

/** Positions at each of these tails, with `consecutive` and without it. */
export const LUCI_DISTRIBUTIONS: readonly {
  name: string
  runs: LuciRuns
  consecutive: boolean
  expected: number[]
}[] = [
  { name: 'sparse', runs: SPARSE, consecutive: true, expected: [...times(8, 100), ...times(9, 200)] },
  { name: 'sparse', runs: SPARSE, consecutive: false, expected: [...times(8, 100), ...times(9, 200)] },
  {
    name: 'sparse 2',
    runs: SPARSE_2,
    consecutive: true,
    expected: [90, ...times(7, 100), ...times(6, 110), ...times(3, 2000)],
  },
  {
    name: 'sparse 2',
    runs: SPARSE_2,
    consecutive: false,
    expected: [90, ...times(7, 100), ...times(8, 110), 120],
  },
  { name: 'sparse 3', runs: SPARSE_3, consecutive: true, expected: [...times(8, 100), ...times(9, 1010)] },
  {
    name: 'sparse 3',
    runs: SPARSE_3,
    consecutive: false,
    expected: [90, ...times(7, 100), ...times(8, 1010), 1020],
  },
]

/** The last segments in `analyzer_test.go`. */
export const LUCI_SEGMENTS: readonly {
  name: string
  runs: LuciRuns
  last: { firstPosition: number; lastPosition: number; border: { after: number; upTo: number } | undefined }
}[] = [
  {
    name: 'two commits',
    runs: { positions: [1, 2], total: [2, 2], failed: [0, 2] },
    last: { firstPosition: 1, lastPosition: 2, border: undefined },
  },
  {
    name: 'ten commits',
    runs: {
      positions: [30, 31, 32, 33, 34, 35, 36, 37, 38, 39],
      total: times(10, 5),
      failed: [5, 5, 5, 5, 0, 0, 0, 0, 0, 1],
    },
    last: { firstPosition: 34, lastPosition: 39, border: { after: 33, upTo: 34 } },
  },
  {
    name: '6,300 passes',
    runs: { positions: upTo(6300), total: times(6300, 1), failed: times(6300, 0) },
    last: { firstPosition: 1, lastPosition: 6300, border: undefined },
  },
]

const UNIFORM = [
  [0, 0, 1, 1],
  [0, 1, 1, 0.5],
  [1, 1, 1, 0.5],
  [0, 2, 1, 1 / 3],
  [1, 2, 2, 1 / 3],
  [2, 2, 1, 1 / 3],
  [0, 3, 1, 0.25],
  [1, 3, 3, 0.25],
  [2, 3, 3, 0.25],
  [3, 3, 1, 0.25],
  [0, 4, 1, 0.2],
  [1, 4, 4, 0.2],
  [2, 4, 6, 0.2],
  [3, 4, 4, 0.2],
  [4, 4, 1, 0.2],
] as const
const SKEWED = [
  [0, 0, 1, 1],
  [0, 1, 1, 0.625],
  [1, 1, 1, 0.375],
  [0, 2, 1, 0.5208333333333335],
  [1, 2, 2, 0.2083333333333334],
  [2, 2, 1, 0.2708333333333333],
  [0, 3, 1, 0.465029761904762],
  [1, 3, 3, 0.16741071428571436],
  [2, 3, 3, 0.14508928571428578],
  [3, 3, 1, 0.2224702380952381],
  [0, 4, 1, 0.4283168859649124],
  [1, 4, 4, 0.14685150375939848],
  [2, 4, 6, 0.11454417293233085],
  [3, 4, 4, 0.11708959899749374],
  [4, 4, 1, 0.19319783834586465],
] as const

/** Probability of all orders of some hits in `n` results. */
export const LUCI_LIKELIHOODS: readonly {
  prior: BetaPrior
  hits: number
  n: number
  orders: number
  expected: number
}[] = [
  ...UNIFORM.map((row) => nameLikelihood({ alpha: 1, beta: 1 }, row)),
  ...SKEWED.map((row) => nameLikelihood({ alpha: 0.3, beta: 0.5 }, row)),
]

function nameLikelihood(
  prior: BetaPrior,
  [hits, n, orders, expected]: readonly [number, number, number, number],
) {
  return { prior, hits, n, orders, expected }
}
