import { expect, it } from 'vitest'
import { costOfLoneFailures, minutesInLastWeek } from './cost'

it('counts the minutes of builds that one test alone failed', () => {
  const builds = [
    { durationMs: 600_000, failedTestIds: ['a'] },
    { durationMs: 900_000, failedTestIds: ['b', 'b'] },
    { durationMs: 600_000, failedTestIds: ['a', 'b'] },
    { durationMs: 600_000, failedTestIds: [] },
    { durationMs: 420_000, failedTestIds: ['a'] },
  ]
  expect(costOfLoneFailures(builds)).toEqual([
    { testId: 'a', builds: 2, minutes: 17 },
    { testId: 'b', builds: 1, minutes: 15 },
  ])
})

it('counts the minutes of a test in the last week', () => {
  const day = 86_400_000
  const nowMs = 100 * day
  const results = [nowMs - 7 * day, nowMs - 6 * day, nowMs, nowMs + 1].map((atMs) => ({
    atMs,
    durationMs: 90_000,
  }))
  expect(minutesInLastWeek(results, nowMs)).toBe(3)
})
