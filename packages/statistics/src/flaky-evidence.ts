import type { TestResult } from './rates'

/** A result of one test, with what makes it comparable to others. */
export interface PlacedResult extends TestResult {
  readonly buildId: string
  /** Undefined if unknown; such a result is not compared with others. */
  readonly commit: string | undefined
  /** The machine and its programs. Results from different environments are not compared. */
  readonly environment: string
  readonly atMs: number
}

export type FlakyEvidence =
  | {
      readonly kind: 'passed-on-retry'
      readonly buildId: string
      readonly commit: string | undefined
      readonly environment: string
      readonly atMs: number
    }
  | {
      readonly kind: 'both-verdicts'
      readonly passedBuildIds: readonly string[]
      readonly failedBuildIds: readonly string[]
      readonly commit: string
      readonly environment: string
      /** The latest of these results. */
      readonly atMs: number
    }

export interface EvidenceWindow {
  /** Evidence counts in the last builds of the test, … */
  readonly builds: number
  /** … and in those of the last days before `nowMs`. */
  readonly days: number
  readonly nowMs: number
}

export const EVIDENCE_WINDOW = { builds: 100, days: 14 }

const DAY_MS = 86_400_000

/**
 * Lists the evidence that a test is flaky, oldest first: it passed on a retry, or it has both verdicts on one commit in one
 * environment. `results` are the results of one test, oldest first. Infrastructure builds give no evidence.
 * Definition: Runledger's own, `docs/statistics.md`.
 */
export function listFlakyEvidence(results: readonly PlacedResult[], window: EvidenceWindow): FlakyEvidence[] {
  const recent = takeRecent(results, window).filter(({ infrastructure }) => infrastructure !== true)
  const evidence = [...listRetries(recent), ...listBothVerdicts(recent)]
  return evidence.toSorted((a, b) => a.atMs - b.atMs)
}

function takeRecent(
  results: readonly PlacedResult[],
  { builds, days, nowMs }: EvidenceWindow,
): PlacedResult[] {
  const buildIds = [...new Set(results.toReversed().map(({ buildId }) => buildId))]
  const lastBuilds = new Set(buildIds.slice(0, builds))
  return results.filter(({ buildId, atMs }) => lastBuilds.has(buildId) || atMs >= nowMs - days * DAY_MS)
}

function listRetries(results: readonly PlacedResult[]): FlakyEvidence[] {
  return results
    .filter(({ first, last }) => first === 'failed' && last === 'passed')
    .map(({ buildId, commit, environment, atMs }) => ({
      kind: 'passed-on-retry',
      buildId,
      commit,
      environment,
      atMs,
    }))
}

function listBothVerdicts(results: readonly PlacedResult[]): FlakyEvidence[] {
  const groups = new Map<string, PlacedResult[]>()
  for (const result of results) {
    if (result.commit === undefined) continue
    const key = JSON.stringify([result.commit, result.environment])
    groups.set(key, [...(groups.get(key) ?? []), result])
  }
  return [...groups.values()].flatMap((group): FlakyEvidence[] => {
    const [{ commit = '', environment = '' } = {}] = group
    const passedBuildIds = listBuilds(group, 'passed')
    const failedBuildIds = listBuilds(group, 'failed')
    if (passedBuildIds.length === 0 || failedBuildIds.length === 0) return []
    const atMs = group.reduce((latest, result) => Math.max(latest, result.atMs), -Infinity)
    return [{ kind: 'both-verdicts', passedBuildIds, failedBuildIds, commit, environment, atMs }]
  })
}

function listBuilds(results: readonly PlacedResult[], verdict: 'passed' | 'failed'): string[] {
  return [...new Set(results.filter(({ last }) => last === verdict).map(({ buildId }) => buildId))]
}
