import { describe, expect, it } from 'vitest'
import { Random } from '../../../../test/support/random'
import { type FileSpan, learnStartUp } from './start-up'

/** Simulates workers. Each worker takes the next file as soon as it is free. */
function execute(durations: readonly number[], workers: number, startUp: () => number): FileSpan[] {
  const free = Array<number>(workers).fill(0)
  return durations.map((duration) => {
    const worker = free.indexOf(Math.min(...free))
    const start = (free[worker] ?? 0) + startUp()
    free[worker] = start + duration
    return { start, end: start + duration }
  })
}

describe('the start-up of a file', () => {
  it.each([1, 2, 4])('is computed from executions with %i workers', (workers) => {
    const random = new Random(`start-up ${workers}`)
    const durations = Array.from({ length: 80 }, () => random.between(20, 3_000))
    const learnt = learnStartUp([execute(durations, workers, () => random.between(180, 220))])
    expect(learnt).toBeGreaterThan(180)
    expect(learnt).toBeLessThan(220)
  })

  it('is 0 when no file came after another one', () => {
    expect(learnStartUp([])).toBe(0)
    expect(learnStartUp([[{ start: 5, end: 9 }], [{ start: 20, end: 30 }]])).toBe(0)
    expect(
      learnStartUp([
        [
          { start: 5, end: 9 },
          { start: 6, end: 30 },
        ],
      ]),
    ).toBe(0)
  })

  it('is 0 when files follow without a pause', () => {
    expect(learnStartUp([execute([5, 7, 9], 1, () => 0)])).toBe(0)
  })
})
