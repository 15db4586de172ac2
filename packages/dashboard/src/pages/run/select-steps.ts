import type { Phase } from '@runledger/protocol'
import { isFailing } from '../../format/outcome'
import { findDisagreement } from './limits'

/** Between the parts of a step's name: describe titles, test title, measurement (product.md, step `name`). */
export const STEP_NAME_SEPARATOR = ' › '

export interface StepCounts {
  all: number
  failing: number
  skipped: number
  /** Steps whose outcome contradicts their own measurement. */
  disagreeing: number
}

/** Counts the steps of a run. */
export function countSteps(phases: Phase[]): StepCounts {
  return {
    all: phases.length,
    failing: phases.filter(({ outcome }) => isFailing(outcome)).length,
    skipped: phases.filter(({ outcome }) => outcome === 'SKIP').length,
    disagreeing: phases.filter((phase) => phase.measurements.some((one) => findDisagreement(phase, one)))
      .length,
  }
}

/**
 * The places of the steps to show: all, or those that failed together with what was measured in them, which is a
 * step of its own right after its test.
 */
export function selectSteps(phases: Phase[], failedOnly: boolean): number[] {
  if (!failedOnly) return phases.map((_, index) => index)
  const selected: number[] = []
  let failedName: string | undefined
  phases.forEach(({ name, outcome }, index) => {
    if (isFailing(outcome)) {
      if (!isWithin(name, failedName)) failedName = name
      selected.push(index)
    } else if (isWithin(name, failedName)) selected.push(index)
    else failedName = undefined
  })
  return selected
}

function isWithin(name: string, outer: string | undefined): boolean {
  return outer !== undefined && name.startsWith(`${outer}${STEP_NAME_SEPARATOR}`)
}

/** A step's name as the titles it lies under and its own title. */
export function splitStepName(name: string): { path: string[]; title: string } {
  const parts = name.split(STEP_NAME_SEPARATOR)
  return { path: parts.slice(0, -1), title: parts.at(-1) ?? name }
}
