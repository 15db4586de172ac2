import { describe, expect, it } from 'vitest'
import { Random } from '../../../test/support/random'
import {
  chooseCommit,
  type CommitResult,
  listSuspects,
  locateChange,
  spreadRate,
  startSearch,
  SURE,
} from './bisection'
import { wilsonInterval } from './intervals'

const NOTHING_SKIPPED: ReadonlySet<number> = new Set()

function repeat(at: number, failed: boolean, times: number): CommitResult[] {
  return Array.from({ length: times }, () => ({ at, failed }))
}

describe('spreadRate', () => {
  it('has the mean of the Beta distribution', () => {
    for (const [failures, n] of [
      [3, 20],
      [0, 10],
      [50, 100],
    ] as const) {
      const rates = spreadRate(failures, n)
      const mean = rates.reduce((total, rate) => total + rate, 0) / rates.length
      expect(mean).toBeCloseTo((failures + 0.5) / (n + 1), 2)
    }
  })
})

describe('locateChange', () => {
  it('weighs passes by the failure rate, in a case computed by hand', () => {
    // Two commits, or none of them. The rate is 1/2. A pass at the older commit halves only the first place.
    const { places } = locateChange({
      prior: [1 / 3, 1 / 3, 1 / 3],
      rates: [0.5],
      rateBefore: 0.1,
      results: [{ at: 0, failed: false }],
    })
    const weights = [0.5, 0.9, 0.9]
    weights.forEach((weight, place) => expect(places[place]).toBeCloseTo(weight / 2.3, 12))
  })

  it('treats one failure as near proof of an earlier change if nothing failed before', () => {
    const search = startSearch(10, [], 0)
    const { places } = locateChange({ ...search, results: repeat(4, true, 1) })
    expect(places.slice(0, 5).reduce((total, share) => total + share, 0)).toBeGreaterThan(0.99)
  })

  it('gives one failure little weight if the test failed before, too', () => {
    const search = startSearch(10, [...repeat(9, true, 8), ...repeat(9, false, 12)], 0.2)
    const { places } = locateChange({ ...search, results: repeat(4, true, 1) })
    expect(places.slice(0, 5).reduce((total, share) => total + share, 0)).toBeLessThan(0.85)
  })

  it('rules out all commits after enough passes at the last one', () => {
    const search = startSearch(10, [...repeat(9, true, 10), ...repeat(9, false, 10)], 0)
    const [suspect] = listSuspects(
      locateChange({ ...search, results: repeat(9, false, 40) }),
      NOTHING_SKIPPED,
    )
    expect(suspect).toMatchObject({ from: 10, to: 10 })
    expect(suspect?.probability).toBeGreaterThan(SURE)
  })

  it('begins between the last pass and the first failure of the record', () => {
    const record = [
      ...repeat(2, false, 20),
      ...repeat(6, true, 9),
      ...repeat(6, false, 1),
      ...repeat(9, true, 5),
    ]
    const { prior } = startSearch(10, record, 0)
    expect(prior.slice(3, 7).reduce((total, share) => total + share, 0)).toBeGreaterThan(0.9)
    expect(prior.reduce((total, share) => total + share, 0)).toBeCloseTo(1, 12)
  })
})

describe('chooseCommit', () => {
  it('halves the commits if each execution decides', () => {
    const location = locateChange({
      prior: [...Array.from({ length: 16 }, () => 1 / 16), 0],
      rates: [0.999_999],
      rateBefore: 0,
      results: [],
    })
    expect(chooseCommit(location, { skipped: NOTHING_SKIPPED, current: undefined })).toBe(7)
  })

  it('chooses a commit older than the middle if a pass gives little information', () => {
    const location = locateChange({
      prior: [...Array.from({ length: 100 }, () => 1 / 100), 0],
      rates: [0.01],
      rateBefore: 0,
      results: [],
    })
    // The share of commits that are bad there is 1/e as the rate goes to 0: the capacity of a Z-channel.
    const chosen = chooseCommit(location, { skipped: NOTHING_SKIPPED, current: undefined }) ?? 0
    expect((chosen + 1) / 100).toBeCloseTo(1 / Math.E, 1)
  })

  it('stays at a commit with nearly as much information, and leaves out skipped commits', () => {
    const location = locateChange({
      prior: [...Array.from({ length: 16 }, () => 1 / 16), 0],
      rates: [0.5],
      rateBefore: 0,
      results: [],
    })
    const best = chooseCommit(location, { skipped: NOTHING_SKIPPED, current: undefined }) ?? 0
    expect(chooseCommit(location, { skipped: NOTHING_SKIPPED, current: best + 1 })).toBe(best + 1)
    expect(chooseCommit(location, { skipped: NOTHING_SKIPPED, current: 15 })).toBe(best)
    expect(chooseCommit(location, { skipped: new Set([best]), current: undefined })).not.toBe(best)
    const all = new Set(Array.from({ length: 16 }, (_, at) => at))
    expect(chooseCommit(location, { skipped: all, current: undefined })).toBeUndefined()
  })
})

it('joins commits that only a skipped one could distinguish', () => {
  const location = {
    places: [0.1, 0.2, 0.3, 0.3, 0.1],
    rates: [],
    rateBefore: 0,
    since: { failures: 0, n: 0 },
  }
  expect(listSuspects(location, new Set([1, 2]))).toEqual([
    { from: 1, to: 3, probability: expect.closeTo(0.8, 12) as number },
    { from: 0, to: 0, probability: 0.1 },
    { from: 4, to: 4, probability: 0.1 },
  ])
})

/** `npm run soak -- bisect-simulations` draws 200. */
const SIMULATIONS = Number(process.env['SOAK_SIMULATIONS'] ?? 10)
const COMMITS = 256
const RESULTS_ON_RECORD = 100

/** Simulates one bad commit among 256. The record has results at the commit before them and at the last one. */
function simulate(random: Random) {
  const rate = 0.01 * 50 ** random.next()
  const bad = random.between(1, COMMITS)
  const draw = () => random.chance(rate)
  const onRecord = Array.from({ length: RESULTS_ON_RECORD }, draw)
  const failures = onRecord.filter(Boolean).length
  // Without a failure there is no search.
  if (failures === 0) return undefined
  return { rate, bad, failures, fails: (at: number) => at >= bad && draw() }
}

type Case = NonNullable<ReturnType<typeof simulate>>

function searchCommit({ failures, fails }: Case) {
  const record = [
    ...repeat(0, false, RESULTS_ON_RECORD),
    ...repeat(COMMITS, true, failures),
    ...repeat(COMMITS, false, RESULTS_ON_RECORD - failures),
  ]
  const start = startSearch(COMMITS + 1, record, 0)
  const results: CommitResult[] = []
  let [current, checkouts] = [undefined as number | undefined, 0]
  for (;;) {
    const location = locateChange({ ...start, results })
    const [suspect] = listSuspects(location, NOTHING_SKIPPED)
    if (suspect && suspect.probability >= SURE)
      return { found: suspect.from, executions: results.length, checkouts }
    const next = chooseCommit(location, { skipped: NOTHING_SKIPPED, current })
    if (next === undefined) throw new Error('no commit tells anything')
    if (next !== current) checkouts += 1
    current = next
    results.push({ at: next, failed: fails(next) })
  }
}

/** Simulates `git bisect`. A commit is good after enough passes to make all eight answers right with probability `SURE`. */
function bisectPlainly({ fails }: Case, rate: number) {
  const steps = Math.log2(COMMITS)
  const repeats = Math.ceil(Math.log(1 - SURE ** (1 / steps)) / Math.log1p(-rate))
  let [good, bad, executions] = [0, COMMITS, 0]
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    let failed = false
    for (let i = 0; i < repeats && !failed; i++) {
      executions += 1
      failed = fails(middle)
    }
    if (failed) bad = middle
    else good = middle
  }
  return { found: bad, executions }
}

it('finds the bad commit of 256 in at most half the executions of plain bisection with repeats', () => {
  const random = new Random(process.env['SOAK_SEED'] ?? 'bisection')
  const sums = {
    simulations: 0,
    right: 0,
    executions: 0,
    checkouts: 0,
    plain: 0,
    plainRight: 0,
    told: 0,
    toldRight: 0,
  }
  const shares: number[] = []
  while (sums.simulations < SIMULATIONS) {
    const drawn = simulate(random)
    if (!drawn) continue
    const ours = searchCommit(drawn)
    // The record gives only an interval for the rate. To be as sure, plain bisection must use its lower end.
    const plain = bisectPlainly(drawn, wilsonInterval(drawn.failures, RESULTS_ON_RECORD).low)
    const told = bisectPlainly(drawn, drawn.rate)
    sums.simulations += 1
    sums.executions += ours.executions
    sums.checkouts += ours.checkouts
    sums.plain += plain.executions
    sums.told += told.executions
    if (ours.found === drawn.bad) sums.right += 1
    if (plain.found === drawn.bad) sums.plainRight += 1
    if (told.found === drawn.bad) sums.toldRight += 1
    shares.push(ours.executions / plain.executions)
    if (process.env['SOAK_SIMULATIONS'] !== undefined)
      console.log(
        [
          drawn.rate.toFixed(3),
          drawn.failures,
          ours.executions,
          ours.checkouts,
          plain.executions,
          told.executions,
        ].join(' '),
      )
  }
  if (process.env['SOAK_SIMULATIONS'] !== undefined) console.log(JSON.stringify(sums))
  expect(sums.right / SIMULATIONS).toBeGreaterThanOrEqual(SIMULATIONS < 100 ? 0.9 : 0.97)
  expect(shares.toSorted((a, b) => a - b)[Math.floor(shares.length / 2)]).toBeLessThanOrEqual(0.5)
  expect(sums.executions / sums.plain).toBeLessThanOrEqual(0.5)
}, 3_600_000)
