import {
  countVerdicts,
  explainUnknownBranch,
  type FailureVerdict,
  isCompared,
  type KnownRun,
  type VerdictList,
} from '@runledger/protocol'
import { code, codeLink } from './markdown-text'
import { explainVerdict, shortenCommit, VERDICT_LOOKS } from './verdict'

export type RunLink = (id: string) => string

/** `**New** · passed in the last build of this branch: commit …`. */
export function formatVerdict(failure: FailureVerdict, linkRun?: RunLink): string {
  return `**${VERDICT_LOOKS[failure.verdict].word}** · ${formatReason(failure, linkRun)}`
}

/** Runs are links if `linkRun` is given, else ids. */
export function formatReason(failure: FailureVerdict, linkRun?: RunLink): string {
  const parts = explainVerdict(failure)
  return parts.map((part) => (typeof part === 'string' ? part : formatKnownRun(part, linkRun))).join('')
}

function formatKnownRun(run: KnownRun, linkRun: RunLink | undefined): string {
  const commit = shortenCommit(run)
  if (linkRun) {
    const link = codeLink(commit ?? run.id, linkRun(run.id))
    return commit === undefined ? `run ${link} of ${run.started_at}` : `commit ${link}`
  }
  if (commit === undefined) return `run ${code(run.id)} of ${run.started_at}`
  return `commit ${code(commit)} (run ${code(run.id)})`
}

/** How many failures are new, and why some could not be compared. */
export function formatVerdictCounts(verdicts: VerdictList | undefined): string[] {
  if (!verdicts) return []
  return [isCompared(verdicts) ? countVerdicts(verdicts) : '', explainUnknownBranch(verdicts) ?? '']
}
