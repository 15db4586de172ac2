import { isWithin, type Limits } from './limits'
import type { Measurement, Step, StepValue } from './report'

export function hasFailedSteps({ steps }: Pick<Step, 'steps'>): boolean {
  return steps.some(({ outcome }) => isBad(outcome))
}

export function isBad(outcome: Step['outcome']): boolean {
  return outcome === 'FAIL' || outcome === 'ERROR'
}

function isChecked({ lower_limit: lower, upper_limit: upper, validators }: StepValue): boolean {
  return typeof lower === 'number' || typeof upper === 'number' || (validators?.length ?? 0) > 0
}

/**
 * A checked value without a verdict passed with its step. It failed as the only one of a step whose failure nothing else explains,
 * or by its limits.
 */
export function judgeValues(step: Step): (value: StepValue) => Measurement['outcome'] {
  const { outcome, values, errors } = step
  if (outcome !== 'PASS' && outcome !== 'FAIL') return () => 'UNSET'
  const isOnly = values.filter(isChecked).length === 1
  const isAsStep = outcome === 'PASS' || (isOnly && errors.length === 0 && !hasFailedSteps(step))
  return (value) => {
    if (!isChecked(value)) return 'UNSET'
    if (isAsStep) return outcome
    const isGood = isWithin(value.measured_value, value as Limits)
    return isGood === undefined ? 'UNSET' : isGood ? 'PASS' : 'FAIL'
  }
}
