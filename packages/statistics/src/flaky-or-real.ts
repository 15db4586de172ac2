import type { FailureFacts } from './failure-facts'
import { type FailureFeatures, type FeatureName, listFeatures } from './failure-features'
import { FLAKY_OR_REAL_WEIGHTS, type FlakyOrRealWeights } from './flaky-or-real-weights'

/** A fact and how strongly it speaks for a real or a flaky failure. */
export interface Reason {
  readonly code: ReasonCode
  /**
   * The number behind the fact: results that passed or failed on the commit, failures in a row, hours, failures among the last 20
   * results (`recentExcess`), errors (`newError`, `flakyError`), other tests, the share of repeated failures that failed again
   * (`repeats`), or 1 (`broken`, `infrastructure`).
   */
  readonly value: number
  /** Change of the logarithm of the odds: positive for a real failure, negative for a flaky one. −Infinity decides alone. */
  readonly weight: number
}

export type ReasonCode = FeatureName | 'passedOnCommit' | 'infrastructure'

export interface FlakyOrReal {
  /** Probability that the test would fail again on this commit, 0 to 1. */
  readonly probabilityReal: number
  readonly verdict: 'flaky' | 'real' | 'unknown'
  /** Strongest first. */
  readonly reasons: readonly Reason[]
}

const REAL_FROM = 0.9
/** Failures in a row before this one: the verdict `real` needs five in a row. */
const REAL_AFTER_FAILURES = 4
const FLAKY_UP_TO = 0.1

/**
 * Judges whether a failure is flaky or real: would the test fail again on this commit? A pass on the commit proves the failure
 * flaky; otherwise a logistic model weighs the facts. The verdict `real` needs five failures in a row and an error that never
 * proved flaky. In an infrastructure build the verdict is `unknown`.
 * Source: Runledger's own model; `docs/statistics.md` has its precision and recall.
 */
export function judgeFailure(
  facts: FailureFacts,
  weights: FlakyOrRealWeights = FLAKY_OR_REAL_WEIGHTS,
): FlakyOrReal {
  if (facts.passedOnCommit > 0) {
    const reason: Reason = { code: 'passedOnCommit', value: facts.passedOnCommit, weight: -Infinity }
    return { probabilityReal: 0, verdict: 'flaky', reasons: [reason] }
  }
  const features = listFeatures(facts)
  const reasons = listReasons(facts, features, weights)
  const logOdds = reasons.reduce((sum, { weight }) => sum + weight, weights.constant)
  const probabilityReal = 1 / (1 + Math.exp(-logOdds))
  if (facts.infrastructure) {
    const reason: Reason = { code: 'infrastructure', value: 1, weight: 0 }
    return { probabilityReal, verdict: 'unknown', reasons: [reason, ...reasons] }
  }
  return { probabilityReal, verdict: decide(probabilityReal, facts), reasons }
}

function decide(
  probabilityReal: number,
  { failuresInRow, fingerprints }: FailureFacts,
): FlakyOrReal['verdict'] {
  const isSustained = failuresInRow >= REAL_AFTER_FAILURES && fingerprints.flaky === 0
  if (probabilityReal >= REAL_FROM && isSustained) return 'real'
  return probabilityReal <= FLAKY_UP_TO ? 'flaky' : 'unknown'
}

function listReasons(facts: FailureFacts, features: FailureFeatures, weights: FlakyOrRealWeights): Reason[] {
  const values = listValues(facts)
  const codes = Object.keys(features) as FeatureName[]
  return codes
    .map((code) => ({ code, value: values[code], weight: features[code] * weights[code] }))
    .filter(({ weight }) => weight !== 0)
    .toSorted((a, b) => Math.abs(b.weight) - Math.abs(a.weight))
}

function listValues(facts: FailureFacts): Record<FeatureName, number> {
  const { fingerprints, repeats } = facts
  return {
    failedOnCommit: facts.failedOnCommit,
    failuresInRow: facts.failuresInRow,
    hoursSincePass: facts.hoursSincePass ?? Infinity,
    recentExcess: facts.last20.failures,
    newError: fingerprints.n,
    flakyError: fingerprints.flaky,
    otherNewFailures: facts.otherNewFailures,
    repeats: repeats.n === 0 ? 0 : repeats.failedAgain / repeats.n,
    broken: 1,
  }
}
