import type { Phase } from '@runledger/protocol'
import { buildStepTree } from '@runledger/presentation'
import { expect, it } from 'vitest'
import { ALL_STEPS, filterSteps, listShown, type StepFilter } from './filter-steps'
import { madePhase } from '../../../../../test/support/made-phase'

const measurements = [{}] as Phase['measurements']
const error = { fingerprint: 'f', message: 'Timed out after 5 s' }
const attempts = [
  {
    outcome: 'FAIL' as const,
    started_at: '',
    duration: '',
    errors: [{ fingerprint: 'g', message: 'refused' }],
  },
  { outcome: 'PASS' as const, started_at: '', duration: '' },
]
const tree = buildStepTree([
  madePhase('door › opens', 'PASS', { tags: ['@slow'], owner: '@acme/doors' }),
  madePhase('door › opens › angle', 'PASS', { measurements }),
  madePhase('door › closes', 'FAIL', { error, location: { file: 'src/door.test.ts' } }),
  madePhase('door › closes › torque', 'PASS', { measurements }),
  madePhase('pushes', 'PASS', { parent: 2, kind: 'step' }),
  madePhase('door › is painted', 'SKIP'),
  madePhase('door › locks', 'PASS', { retry_count: 1, attempts }),
  madePhase('door › locks › force', 'FAIL', { measurements }),
])

function select(filter: Partial<StepFilter>): number[] {
  return [...(filterSteps(tree, { ...ALL_STEPS, ...filter }) ?? [])].toSorted((a, b) => a - b)
}

it('shows all when nothing is looked for', () => {
  expect(filterSteps(tree, ALL_STEPS)).toBeUndefined()
  expect(filterSteps(tree, { ...ALL_STEPS, words: '  ' })).toBeUndefined()
})

it('selects tests by what they came to, with what lies within them', () => {
  expect(select({ className: 'failed' })).toEqual([2, 3, 4, 6, 7])
  expect(select({ className: 'passed' })).toEqual([0, 1, 6, 7])
  expect(select({ className: 'skipped' })).toEqual([5])
  expect(select({ className: 'flaky' })).toEqual([6, 7])
})

it.each([
  ['TORQUE', [2, 3]],
  ['door timed', [2, 3, 4]],
  ['@slow', [0, 1]],
  ['acme', [0, 1]],
  ['door.test.ts', [2, 3, 4]],
  ['refused', [6, 7]],
  ['nowhere', []],
])('finds %j with what leads there and lies within', (words, found) => {
  expect(select({ words })).toEqual(found)
})

it('selects errors outside of tests apart from failed tests', () => {
  const own = buildStepTree([
    madePhase('closes', 'FAIL', { kind: 'test' }),
    madePhase('afterAll hook', 'FAIL', { kind: 'hook' }),
  ])
  expect([...(filterSteps(own, { ...ALL_STEPS, className: 'error' }) ?? [])]).toEqual([1])
  expect([...(filterSteps(own, { ...ALL_STEPS, className: 'failed' }) ?? [])]).toEqual([0])
})

it('leaves out what lies within a closed step', () => {
  const shown = listShown(tree, undefined, ({ index }) => index !== 2)
  expect(shown.map(({ index }) => index)).toEqual([0, 1, 2, 5, 6, 7])
  expect(listShown(tree, new Set([6]), () => true).map(({ index }) => index)).toEqual([6])
})
