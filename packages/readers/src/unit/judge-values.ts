import { isWithin, type Limits } from './limits'
import type { Measurement, Step, StepValue } from './report'

/** Whether an error, an inner step, a value or the summarised repetitions explain why a step failed. */
export function isExplained(step: Pick<Step, 'errors' | 'steps' | 'values' | 'isSummary'>): boolean {
  const { errors, values, isSummary = false } = step
  return (
    isSummary || errors.length > 0 || hasFailedSteps(step) || values.some(({ outcome }) => outcome === 'FAIL')
  )
}

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
 * Judges checked values without a verdict. They pass if their step passed. In a failed step, a value fails if it is outside its limits,
 * or if it is the only value and nothing else explains the failure. In a summary, only limits count.
 */
export function judgeValues(step: Step): (value: StepValue) => Measurement['outcome'] {
  const { outcome, values, isSummary = false } = step
  if (outcome !== 'PASS' && outcome !== 'FAIL') return () => 'UNSET'
  const isOnly = values.filter(isChecked).length === 1
  const isAsStep = !isSummary && (outcome === 'PASS' || (isOnly && !isExplained(step)))
  return (value) => {
    if (!isChecked(value)) return 'UNSET'
    if (isAsStep) return outcome
    const isGood = isWithin(value.measured_value, value as Limits)
    return isGood === undefined ? 'UNSET' : isGood ? 'PASS' : 'FAIL'
  }
}
