export interface Failure {
  readonly testId: string
  /** Fingerprints of its errors, in their order. */
  readonly fingerprints: readonly string[]
}

/** Results of one build that failed with the same first error. */
export interface Cause {
  /** Undefined for failures without an error. */
  readonly fingerprint: string | undefined
  /** Distinct tests, in order of their first failure. */
  readonly testIds: readonly string[]
  readonly results: number
}

/**
 * Groups the failures of a build by the fingerprint of their first error. The group with the most tests is first; equal groups
 * keep their order of appearance. Failures without an error form one group, the last one of its size.
 * Definition: Runledger's own, `docs/statistics.md`.
 */
export function groupCauses(failures: readonly Failure[]): Cause[] {
  const groups = new Map<string | undefined, Failure[]>()
  for (const failure of failures) {
    const [fingerprint] = failure.fingerprints
    groups.set(fingerprint, [...(groups.get(fingerprint) ?? []), failure])
  }
  const causes = [...groups].map(([fingerprint, members]) => ({
    fingerprint,
    testIds: [...new Set(members.map(({ testId }) => testId))],
    results: members.length,
  }))
  const isUnnamed = (cause: Cause) => Number(cause.fingerprint === undefined)
  return causes.toSorted((a, b) => b.testIds.length - a.testIds.length || isUnnamed(a) - isUnnamed(b))
}
