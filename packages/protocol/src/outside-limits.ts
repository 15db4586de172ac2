import type { CreateRunRequest } from './run'

/** How many values of a run that is sent are outside their limits; the service counts what it has stored. */
export function countOutsideLimits({ steps = [] }: Pick<CreateRunRequest, 'steps'>): number {
  return steps.filter(isOutside).length
}

function isOutside({
  measurement_value: value,
  limit_low: low,
  limit_high: high,
}: NonNullable<CreateRunRequest['steps']>[number]): boolean {
  if (value === undefined) return false
  return (low !== undefined && value < low) || (high !== undefined && value > high)
}

/** `2 measurements outside their limits`: said of runs that passed all the same. */
export function formatOutsideLimits(count: number): string {
  return count === 1 ? '1 measurement outside its limits' : `${count} measurements outside their limits`
}

interface StoredRun {
  outcome: string
  measurements_outside_limits?: number | undefined
}

/** The note on a stored run that passed with values outside their limits; undefined for any other. */
export function describeOutsideLimits(run: StoredRun): string | undefined {
  const count = sumOutsideLimits([run])
  return count > 0 ? formatOutsideLimits(count) : undefined
}

/** How many values of those runs that passed are outside their limits. */
export function sumOutsideLimits(runs: readonly StoredRun[]): number {
  const passed = runs.filter(({ outcome }) => outcome === 'PASS')
  return passed.reduce((sum, { measurements_outside_limits: count = 0 }) => sum + count, 0)
}
