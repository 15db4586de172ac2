import type { DurationChange, TestResult } from '@runledger/protocol'

/** What the chart of durations draws, a value for each time in order; null is no dot. */
export interface DurationSeries {
  /** Starts of builds in seconds since the epoch, none twice. */
  seconds: number[]
  passed: (number | null)[]
  flaky: (number | null)[]
  failed: (number | null)[]
  /** The mean before and after each change, in seconds. */
  mean: (number | null)[]
}

/** Lays results out in the order of time. Results of infrastructure builds and skipped ones are left out. */
export function layOutDurations(
  results: readonly TestResult[],
  changes: readonly DurationChange[],
): DurationSeries {
  const shown = results
    .filter(({ outcome, is_infrastructure: isInfrastructure }) => outcome !== 'skipped' && !isInfrastructure)
    .map((result) => ({ ...result, second: Date.parse(result.build.started_at) / 1000 }))
    .sort((a, b) => a.second - b.second)
  const seconds: number[] = []
  for (const { second } of shown) {
    const before = seconds.at(-1)
    // Two jobs of one build start at one time.
    seconds.push(before !== undefined && second <= before ? before + 0.001 : second)
  }
  const pick = (outcome: TestResult['outcome']) =>
    shown.map((one) => (one.outcome === outcome ? one.duration_ms / 1000 : null))
  return {
    seconds,
    passed: pick('passed'),
    flaky: pick('flaky'),
    failed: pick('failed'),
    mean: seconds.map((second) => findMean(second, changes)),
  }
}

/** The mean of the stretch that a time lies in, null where no change is known. */
function findMean(second: number, changes: readonly DurationChange[]): number | null {
  const [first] = changes
  if (!first) return null
  const begun = changes.filter(({ build }) => build !== null && Date.parse(build.started_at) / 1000 <= second)
  const last = begun.at(-1)
  return (last ? last.after_ms : first.before_ms) / 1000
}
