import type { FailureVerdict, KnownRun, Verdict, VerdictBasis } from '../resources/verdict'
import { formatCount } from './number'
import type { OutcomeLook } from './outcome'

/** How a verdict on a failure looks, in the order in which somebody cares. */
export const VERDICT_LOOKS: Readonly<Record<Verdict, OutcomeLook>> = {
  new: { word: 'New', tone: 'bad' },
  first_seen: { word: 'First seen', tone: 'late' },
  flaky: { word: 'Flaky', tone: 'warn' },
  already_failing: { word: 'Already failing', tone: 'quiet' },
}

const PLACES: Readonly<Record<VerdictBasis, string>> = {
  'merge-base': 'on the merge base',
  'default-branch': 'in the last build of the default branch',
  branch: 'in the last build of this branch',
  none: '',
}

export interface VerdictReason {
  /** What the verdict rests on, in a few words that follow its own. */
  text: string
  /** The run that the words end with, if there is one. */
  run: KnownRun | undefined
  /** What follows that run. */
  more: string
}

/** Why a failure has its verdict. The whole rule stands beside `VERDICTS`. */
export function explainVerdict(failure: FailureVerdict): VerdictReason {
  const { verdict, basis, failing_since: since, last_passed: passed } = failure
  if (verdict === 'new') return { text: `passed ${PLACES[basis]}:`, run: passed, more: '' }
  if (verdict === 'already_failing') {
    const builds = since ? `, ${formatCount(since.builds, 'build')} before this one` : ''
    const known = passed ? '' : ', or longer'
    return { text: 'since', run: since, more: `${builds}${known}; failed ${PLACES[basis]}` }
  }
  const text =
    verdict === 'flaky'
      ? 'in its last 100 builds it passed when tried again, or passed and failed on one commit'
      : 'no earlier run of it on the merge base, the default branch or this branch'
  return { text, run: undefined, more: '' }
}

const COMMIT_LENGTH = 7

/** What a run is called where a commit is expected. */
export function nameCommit({ commit }: KnownRun): string {
  return commit === null ? 'this run' : commit.slice(0, COMMIT_LENGTH)
}
