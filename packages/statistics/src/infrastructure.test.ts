import { expect, it } from 'vitest'
import { isInfrastructureBuild, type BuildResult } from './infrastructure'

it.each([
  ['no results', [], false],
  ['no failures', list(100, 0), false],
  ['9 of 9 fail', list(9, 9), false],
  ['79 of 100 fail with different errors', list(100, 79), false],
  ['80 of 100 fail with different errors', list(100, 80), true],
  ['30 of 100 fail with one error', list(100, 30, 'refused'), true],
  ['29 of 100 fail with one error', list(100, 29, 'refused'), false],
  ['9 of 20 fail with one error', list(20, 9, 'refused'), false],
  ['10 of 20 fail with one error', list(20, 10, 'refused'), true],
])('%s', (_, results, expected) => {
  expect(isInfrastructureBuild(results)).toBe(expected)
})

it('accepts other limits', () => {
  const limits = { failures: 1, failingShare: 0.5, fingerprintShare: 1, fingerprintTests: 1 }
  expect(isInfrastructureBuild(list(100, 50), limits)).toBe(true)
})

function list(count: number, failing: number, fingerprint?: string): BuildResult[] {
  return Array.from({ length: count }, (_, i) => ({
    testId: `test ${i}`,
    failed: i < failing,
    fingerprints: i < failing ? [fingerprint ?? `error ${i}`] : [],
  }))
}
