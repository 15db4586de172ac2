import { VERDICTS } from './resources/choices'
import type { Verdict, VerdictList } from './resources/verdict'
import { formatWholeNumber } from './whole-number'

const COUNTED_AS: Readonly<Record<Verdict, string>> = {
  new: 'new',
  already_failing: 'already failing',
  flaky: 'flaky',
  first_seen: 'first seen',
  first_failure: 'for the first time',
  failed_before: 'failed before',
}

/** The count of one verdict: `12 new`. */
export function countVerdict(count: number, verdict: Verdict): string {
  return `${formatWholeNumber(count)} ${COUNTED_AS[verdict]}`
}

/** Counts by verdict that add up: `333 failures: 12 new, 288 already failing, 33 not compared`. */
export function countVerdicts({ data, counts, more_failures: more }: VerdictList): string {
  const total = data.length + more
  const failures = `${formatWholeNumber(total)} failure${total === 1 ? '' : 's'}`
  const [only, ...others] = VERDICTS.filter((verdict) => counts[verdict] > 0)
  if (only === undefined) return failures
  if (others.length === 0 && more === 0) return `${failures}: ${total === 1 ? '' : 'all '}${COUNTED_AS[only]}`
  const parts = [only, ...others].map((verdict) => countVerdict(counts[verdict], verdict))
  return `${failures}: ${[...parts, ...(more > 0 ? [formatNotCompared(more)] : [])].join(', ')}`
}

export function formatNotCompared(count: number): string {
  return `${formatWholeNumber(count)} not compared`
}

/** True when an earlier run decided at least one of the verdicts. */
export function isCompared({ data }: VerdictList): boolean {
  return data.some(({ basis, unit }) => basis !== 'none' && unit?.earlier_runs !== 0)
}

/** Why failures were compared only with their own branch, and how to change that; undefined otherwise. */
export function explainUnknownBranch({ data }: Pick<VerdictList, 'data'>): string | undefined {
  if (!data.some((failure) => failure.default_branch_unknown)) return undefined
  return (
    'The default branch is not known, so failures are compared with their own branch alone: ' +
    'set the option defaultBranch (RUNLEDGER_DEFAULT_BRANCH) of the reporter.'
  )
}
