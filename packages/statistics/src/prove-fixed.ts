/**
 * How many executions without a failure show, at 95 %, that a test with failure rate `rate` is fixed: ln 0.05 ÷ ln(1 − rate),
 * rounded up. Undefined for a test that never failed.
 * Definition: the chance that an unchanged test passes all of them is at most 5 %; `docs/statistics.md`.
 */
export function executionsToProveFixed(rate: number): number | undefined {
  if (!(rate > 0)) return undefined
  return rate >= 1 ? 1 : Math.ceil(Math.log(0.05) / Math.log1p(-rate))
}

/** The probability that a test with failure rate `rate` passes `executions` executions. */
export function chanceOfPasses(rate: number, executions: number): number {
  return (1 - rate) ** executions
}
