import type { Phase } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { countSteps, selectSteps, splitStepName } from './select-steps'

const at = '2026-11-20T09:30:00.000Z'

function step(name: string, outcome: Phase['outcome']): Phase {
  return {
    id: name,
    name,
    outcome,
    started_at: at,
    ended_at: at,
    duration: 'PT0S',
    retry_count: 0,
    measurements: [],
    docstring: null,
  }
}

const steps = [
  step('door › opens', 'PASS'),
  step('door › opens › angle', 'PASS'),
  step('door › closes', 'FAIL'),
  step('door › closes › angle', 'PASS'),
  step('door › closes › torque', 'FAIL'),
  step('door › closes › current', 'PASS'),
  step('door › closes slowly', 'PASS'),
  step('door › is painted', 'SKIP'),
  step('door › is locked', 'ERROR'),
]

it('selects all steps unless only the failed ones are wanted', () => {
  expect(selectSteps(steps, false)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

it('selects failed steps with what was measured in them', () => {
  expect(selectSteps(steps, true)).toEqual([2, 3, 4, 5, 8])
})

it('counts steps', () => {
  expect(countSteps(steps)).toEqual({ all: 9, failing: 3, skipped: 1, disagreeing: 0 })
})

it('splits a step’s name into its path and its title', () => {
  expect(splitStepName('door › closes › angle')).toEqual({ path: ['door', 'closes'], title: 'angle' })
  expect(splitStepName('power on')).toEqual({ path: [], title: 'power on' })
})
