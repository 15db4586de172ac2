import { MAX_OTHER_UNITS } from '@runledger/protocol'
import { groupBy } from '../../../storage/database/rows'
import type { Finding, FoundHistory, KnownRun, TestResult } from './rules'

/** A run may contain the step several times. */
interface StepResult {
  run: KnownRun
  hasFailed: boolean
}

/** The rule for runs about their unit, as protocol declares it at `VERDICTS`. `results` are of all runs with the step. */
export function deriveUnitVerdict(run: KnownRun, results: readonly TestResult[]): Finding {
  const ofRuns = listStepResults(results)
  const ofUnit = ofRuns.filter((each) => each.run.unitId === run.unitId)
  const earlier = ofUnit.filter((each) => compareStarts(each.run, run) < 0)
  const later = ofUnit.filter((each) => compareStarts(each.run, run) > 0)
  const firstFailure = earlier.findIndex(({ hasFailed }) => hasFailed)
  const hasFailedBefore = firstFailure >= 0
  return {
    verdict: hasFailedBefore ? 'failed_before' : 'first_failure',
    basis: 'unit',
    lastPassed: earlier.findLast(hasPassed)?.run,
    unit: {
      earlier_runs: earlier.length,
      earlier_failures: earlier.filter(({ hasFailed }) => hasFailed).length,
      first_failed: earlier[firstFailure]?.run,
      passed_between: hasFailedBefore ? earlier.slice(firstFailure).findLast(hasPassed)?.run : undefined,
      passed_later: later.find(hasPassed)?.run,
      other_units: countOtherUnits(run, ofRuns),
    },
  }
}

/** By start; runs that began at once in the order received. */
function listStepResults(results: readonly TestResult[]): StepResult[] {
  return [...groupBy(results, (result) => result.run.id).values()]
    .flatMap((ofRun) => {
      const [first] = ofRun
      return first ? [{ run: first.run, hasFailed: ofRun.some(({ outcome }) => outcome === 'failed') }] : []
    })
    .sort((a, b) => compareStarts(a.run, b.run))
}

function compareStarts(a: KnownRun, b: KnownRun): number {
  return a.started_at_us - b.started_at_us || a.id - b.id
}

function hasPassed({ hasFailed }: StepResult): boolean {
  return !hasFailed
}

/** Samples test the bench; runs of software name a unit that is the software. */
function countOtherUnits(run: KnownRun, results: readonly StepResult[]): FoundHistory['other_units'] {
  const before = results.filter(
    ({ run: each }) =>
      each.unitId !== run.unitId && !each.isOfSoftware && !each.isOfSample && compareStarts(each, run) < 0,
  )
  const units = [...groupBy(before.toReversed(), (each) => each.run.unitId).values()].slice(
    0,
    MAX_OTHER_UNITS,
  )
  const failed = units.filter((ofUnit) => ofUnit.some(({ hasFailed }) => hasFailed))
  return { tested: units.length, failed: failed.length }
}
