import type { LineMeasurement } from '@runledger/protocol'

type Drift = LineMeasurement['drifts'][number]

/** Changes of the mean that follow one another in one direction. */
interface Trend {
  first: Drift
  last: Drift
  /** The sum of the changes, in σ within the process. */
  sigmas: number
  steps: number
}

/** The last changes in one direction, not interrupted by one in the other. */
export function findTrend(drifts: readonly Drift[]): Trend | undefined {
  const last = drifts.at(-1)
  if (!last) return undefined
  const turn = drifts.findLastIndex(({ sigmas }) => Math.sign(sigmas) !== Math.sign(last.sigmas))
  const steps = drifts.slice(turn + 1)
  const sigmas = steps.reduce((sum, drift) => sum + drift.sigmas, 0)
  return { first: steps[0] ?? last, last, sigmas, steps: steps.length }
}
