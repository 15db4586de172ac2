import { expect, test } from 'vitest'
import type { TestAttempt, TestCase } from './framework-types'
import { mapTriesBeforeSkip } from './map-attempts'

const attempt = (state: TestAttempt['state'], errors: unknown[]): TestAttempt => ({
  state,
  errors,
  duration: 2,
  startTime: 1_000,
  retryIndex: 0,
  repeatIndex: 0,
})
const told = (...attempts: TestAttempt[]) => ({ attempts: () => attempts }) as unknown as TestCase

test('a test that failed and then skipped itself keeps the error of its first try', () => {
  const error = { name: 'Error', message: 'try no. 1' }
  const tries = mapTriesBeforeSkip(told(attempt('failed', [error]), attempt('skipped', [])))
  expect(tries.map(({ status, errors }) => [status, errors.map(({ message }) => message)])).toEqual([
    ['failed', ['Error: try no. 1']],
    ['skipped', []],
  ])
})

test('a test that skipped itself at once has no tries', () => {
  expect(mapTriesBeforeSkip(told(attempt('skipped', [])))).toEqual([])
  expect(mapTriesBeforeSkip({} as TestCase)).toEqual([])
})
