import {
  type FailureVerdict,
  formatWholeNumber,
  type KnownRun,
  type UnitHistory,
  type Verdict,
  type VerdictBasis,
  type VerdictList,
} from '@runledger/protocol'
import { formatCount } from './number'
import type { OutcomeLook } from './outcome'
import type { StepTree } from './step-tree'

/** In order of importance. */
export const VERDICT_LOOKS: Readonly<Record<Verdict, OutcomeLook>> = {
  new: { word: 'New', tone: 'bad' },
  failed_before: { word: 'Failed before', tone: 'bad' },
  first_failure: { word: 'First failure', tone: 'late' },
  first_seen: { word: 'First seen', tone: 'late' },
  flaky: { word: 'Flaky', tone: 'warn' },
  already_failing: { word: 'Already failing', tone: 'quiet' },
}

const PLACES: Readonly<Record<VerdictBasis, string>> = {
  'merge-base': 'on the merge base',
  'default-branch': 'in the last build of the default branch',
  branch: 'in the last build of this branch',
  unit: 'on this unit',
  none: '',
}

/** The verdict of the outermost step that contains it. */
export function findVerdict(
  { nodes }: StepTree,
  index: number,
  verdicts: VerdictList | undefined,
): FailureVerdict | undefined {
  let outermost = nodes[index]
  while (outermost?.parent !== undefined) outermost = nodes[outermost.parent]
  return verdicts?.data.find(({ phase_id: id }) => id === outermost?.phase.id)
}

/** A run becomes a link. */
export type VerdictPart = string | KnownRun

/** The rule is beside `VERDICTS`. */
export function explainVerdict(failure: FailureVerdict): VerdictPart[] {
  const { verdict, basis, failing_since: since, last_passed: passed, unit } = failure
  if (unit) return [...explainUnit(unit, passed), `; ${describeOthers(unit)}`]
  if (verdict === 'new') return [`passed ${PLACES[basis]}`, ...append(': ', passed)]
  if (verdict === 'already_failing') {
    const builds = since ? `, ${formatCount(since.builds, 'build')} before this one` : ''
    const known = passed ? '' : ', or longer'
    return [...append('since ', since), `${builds}${known}; failed ${PLACES[basis]}`]
  }
  if (verdict === 'flaky')
    return ['in its last 100 builds it passed when tried again, or passed and failed on one commit']
  if (failure.default_branch_unknown) return ['no earlier run of it on this branch']
  return ['no earlier run of it on the merge base, the default branch or this branch']
}

function explainUnit(unit: UnitHistory, lastPassed: KnownRun | undefined): VerdictPart[] {
  const { earlier_runs: runs, earlier_failures: failures, passed_later: later } = unit
  const afterwards = append('; passed later in ', later)
  const earlier = formatCount(runs, 'earlier run')
  if (runs === 0) return ['no earlier run of this unit has this step', ...afterwards]
  if (failures === 0)
    return [`passed in ${earlier} of this unit`, ...append(', last in ', lastPassed), ...afterwards]
  return [
    `failed in ${formatWholeNumber(failures)} of ${earlier} of this unit`,
    ...append(', first in ', unit.first_failed),
    ...append('; passed in between in ', unit.passed_between),
    ...afterwards,
  ]
}

function describeOthers({ other_units: { tested, failed } }: UnitHistory): string {
  if (tested === 0) return 'no other unit was tested at this step before'
  return `the step failed on ${failed} of the ${formatCount(tested, 'other unit')} tested before`
}

function append(text: string, run: KnownRun | undefined): VerdictPart[] {
  return run === undefined ? [] : [text, run]
}

const COMMIT_LENGTH = 7

/** Undefined if the run names no commit. */
export function shortenCommit({ commit }: KnownRun): string | undefined {
  return commit?.slice(0, COMMIT_LENGTH)
}
