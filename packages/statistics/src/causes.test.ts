import { expect, it } from 'vitest'
import { groupCauses } from './causes'

it('groups failures by their first error, most tests first', () => {
  const causes = groupCauses([
    { testId: 'a', fingerprints: [] },
    { testId: 'b', fingerprints: ['timeout', 'hook'] },
    { testId: 'c', fingerprints: ['hook'] },
    { testId: 'd', fingerprints: ['timeout'] },
    { testId: 'd', fingerprints: ['timeout'] },
  ])
  expect(causes).toEqual([
    { fingerprint: 'timeout', testIds: ['b', 'd'], results: 3 },
    { fingerprint: 'hook', testIds: ['c'], results: 1 },
    { fingerprint: undefined, testIds: ['a'], results: 1 },
  ])
})

it('finds no cause without a failure', () => {
  expect(groupCauses([])).toEqual([])
})
