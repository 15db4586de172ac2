import type { Judgement } from '@runledger/protocol'
import { type EarlierResult, type FailureFacts, judgeFailure, readHistoryFacts } from '@runledger/statistics'
import { US_PER_MS } from '../../../base/clock'
import type { Query } from '../../../storage/database/database'
import { firstKeyAt } from '../../../storage/database/keys'
import { FAILED, FLAKY, PASSED } from '../../../storage/database/schema/history'
import type { Result } from '../history/results'
import { findPreviousBuild } from '../builds/store'
import { countOtherNewFailures, countRepeats, countSeenErrors } from './fact-store'
import { isTelling, type Line } from './line'

export interface JudgedFailure extends Line {
  testId: number
  procedureId: number
  /** Attempts before the last one that failed. */
  failedAttempts: number
  everywhere: readonly Result[]
}

/** Flaky or real; what happened later on its commit counts too. */
export async function judge(query: Query, judged: JudgedFailure): Promise<Judgement> {
  const facts = await readFacts(query, judged)
  const { probabilityReal, verdict, reasons } = judgeFailure(facts)
  const isKnown = (code: string, value: number) =>
    Number.isFinite(value) && (code !== 'repeats' || facts.repeats.n > 0)
  return {
    verdict,
    probability_real: probabilityReal,
    reasons: reasons.map(({ code, value, weight }) => ({
      code,
      value: isKnown(code, value) ? value : null,
      weight: Number.isFinite(weight) ? weight : null,
    })),
  }
}

const REPEATS_MS = 14 * 86_400_000

async function readFacts(query: Query, judged: JudgedFailure): Promise<FailureFacts> {
  const { failure, testId, procedureId, everywhere, failedAttempts } = judged
  const atMs = failure.started_at_us / US_PER_MS
  const onCommit = everywhere.filter((other) => isOther(other, failure) && isOnCommit(other, failure))
  const groupId = failure.error_group_id
  const previous = await findPreviousBuild(query, failure.build)
  const [seen, others, repeats] = await Promise.all([
    groupId === null
      ? { seen: 0, flaky: 0 }
      : countSeenErrors(query, { groupId, procedureId, runId: failure.run_id }),
    previous
      ? countOtherNewFailures(query, { buildId: failure.build.id, previousId: previous.id, testId })
      : 0,
    countRepeats(query, { procedureId, runId: failure.run_id, afterRunId: firstKeyAt(atMs - REPEATS_MS) }),
  ])
  return {
    ...readHistoryFacts(listEarlier(judged), atMs),
    passedOnCommit: countOf(onCommit, [PASSED, FLAKY]) + (failure.outcome === FLAKY ? 1 : 0),
    failedOnCommit: countOf(onCommit, [FAILED, FLAKY]) + failedAttempts,
    fingerprints: {
      n: groupId === null ? 0 : 1,
      seen: seen.seen > 0 ? 1 : 0,
      flaky: seen.flaky > 0 ? 1 : 0,
    },
    otherNewFailures: others,
    repeats,
    infrastructure: failure.isInfrastructure,
  }
}

function isOther({ run_id: id }: Result, failure: Result): boolean {
  return id !== failure.run_id
}

/** Or in the same build; in the same environment. */
function isOnCommit(other: Result, { build, environment }: Result): boolean {
  const isSameCommit = build.git_commit !== null && other.build.git_commit === build.git_commit
  return (
    (isSameCommit || other.build.id === build.id) && other.environment === environment && isTelling(other)
  )
}

function countOf(results: readonly Result[], outcomes: readonly number[]): number {
  return results.filter(({ outcome }) => outcomes.includes(outcome)).length
}

/** Before the failure; one that passed on a retry counts as failed and passed. */
function listEarlier({ results, failure }: JudgedFailure): EarlierResult[] {
  const positions = new Map(
    [...new Set(results.map(({ build }) => build.id))].map((id, index) => [id, index]),
  )
  const at = results.findIndex(({ run_id: id }) => id === failure.run_id)
  return results
    .slice(0, Math.max(at, 0))
    .filter((result) => isTelling(result))
    .flatMap((result) => {
      const earlier = {
        position: positions.get(result.build.id) ?? 0,
        sameCommit: isOnCommit(result, failure),
        atMs: result.started_at_us / US_PER_MS,
      }
      const verdicts = result.outcome === FLAKY ? [true, false] : [result.outcome === FAILED]
      return verdicts.map((failed) => ({ ...earlier, failed }))
    })
}
