import { describe, expect, it } from 'vitest'
import { Random } from '../../../../test/support/random'
import { expectDuration } from './expected-duration'
import { NO_HISTORY, planShards, type ShardHistory } from './plan-shards'

function drawHistory(random: Random): { files: string[]; total: number; history: ShardHistory } {
  const files = Array.from(
    { length: random.between(0, 60) },
    (_, index) => `${random.pick(['', 'a/', 'a/b/', 'c/'])}${index}.test.ts`,
  )
  const known = files.filter(() => random.chance(0.7))
  const draw = () => (random.chance(0.1) ? 0 : random.between(1, 9_000))
  const durations = new Map(
    known.map((file) => [file, Array.from({ length: random.between(0, 14) }, draw)] as const),
  )
  return { files, total: random.between(1, 12), history: { durations, startUp: random.between(0, 300) } }
}

const historyOf = (durations: Record<string, number>, startUp = 0): ShardHistory => ({
  durations: new Map(Object.entries(durations).map(([file, duration]) => [file, [duration]])),
  startUp,
})

describe('a plan of shards', () => {
  it('has every file exactly once, and does not depend on the order of the files', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const { files, total, history } = drawHistory(new Random(`plan ${seed}`))
      const plan = planShards(files, total, history)
      expect(plan).toHaveLength(total)
      expect(plan.flat().toSorted()).toEqual(files.toSorted())
      const reversed = new Map([...history.durations].toReversed())
      expect(planShards(files.toReversed(), total, { ...history, durations: reversed })).toEqual(plan)
    }
  })

  it('has no shard that is longer than another one by more than its shortest file', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const { files, total, history } = drawHistory(new Random(`load ${seed}`))
      const known = files.filter((file) => (history.durations.get(file) ?? []).length > 0)
      const weigh = (file: string) =>
        history.startUp + (expectDuration(history.durations.get(file) ?? []) ?? 0)
      const loads = planShards(known, total, history).map((shard) => {
        const weights = shard.map(weigh)
        const load = weights.reduce((sum, weight) => sum + weight, 0)
        return { load, withoutShortest: load - Math.min(load, ...weights) }
      })
      const least = Math.min(...loads.map(({ load }) => load))
      for (const { withoutShortest } of loads) expect(withoutShortest).toBeLessThanOrEqual(least + 1e-6)
    }
  })

  it('has a file once even if it is listed twice', () => {
    expect(planShards(['a', 'b', 'a'], 2, NO_HISTORY)).toEqual([['a'], ['b']])
  })

  it('places the longest file first', () => {
    const history = historyOf({ a: 1, b: 2, c: 3, d: 3, e: 5 })
    expect(planShards(['a', 'b', 'c', 'd', 'e'], 2, history)).toEqual([
      ['b', 'e'],
      ['a', 'c', 'd'],
    ])
  })

  it('takes turns by name without any history', () => {
    expect(planShards(['d', 'b', 'a', 'c', 'e'], 2, NO_HISTORY)).toEqual([
      ['a', 'c', 'e'],
      ['b', 'd'],
    ])
  })

  it('has empty shards when there are more of them than files', () => {
    expect(planShards(['a'], 3, NO_HISTORY)).toEqual([['a'], [], []])
  })

  it('assumes the median of the folder, else of all files, for an unknown file', () => {
    const history = historyOf({ 'x/a': 10, 'x/b': 30, 'y/c': 1, 'y/d': 1, 'y/e': 1 })
    // 20 for x/new, 1 for z/new.
    expect(planShards(['x/a', 'x/b', 'x/new', 'z/new'], 2, history)).toEqual([
      ['x/b', 'z/new'],
      ['x/a', 'x/new'],
    ])
  })

  it('counts the start-up of each file', () => {
    const files = ['a', 'b', 'c', 'd', 'long']
    const durations = { a: 1, b: 1, c: 1, d: 1, long: 4 }
    expect(planShards(files, 2, historyOf(durations))[0]).toEqual(['long'])
    expect(planShards(files, 2, historyOf(durations, 9))[0]).toEqual(['c', 'long'])
  })
})

describe('the expected duration of a file', () => {
  it('is the one of its only build, and undefined without any', () => {
    expect(expectDuration([7])).toBe(7)
    expect(expectDuration([])).toBeUndefined()
  })

  it('follows a file that has become longer', () => {
    expect(expectDuration([10, 10, 10, 10, 10, 18, 18, 18, 18, 18])).toBeCloseTo(18 - 8 * 0.7 ** 5, 9)
  })

  it('counts a single outlier as twice the median, or as half of it', () => {
    expect(expectDuration([10, 10, 10, 10, 5_000])).toBe(13)
    expect(expectDuration([10, 10, 10, 10, 0])).toBe(8.5)
  })

  it('comes from the last ten builds', () => {
    expect(expectDuration([900, ...Array<number>(10).fill(10)])).toBeCloseTo(10, 9)
  })
})
