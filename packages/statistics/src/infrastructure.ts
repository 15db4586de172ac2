import { groupCauses } from './causes'

/** The facts of a result that decide about infrastructure builds. */
export interface BuildResult {
  readonly testId: string
  readonly failed: boolean
  /** Fingerprints of its errors, in their order. */
  readonly fingerprints: readonly string[]
}

export interface InfrastructureLimits {
  /** Fewer failing results are no infrastructure failure, whatever their share. */
  readonly failures: number
  /** Minimum share of failing results, 0 to 1. */
  readonly failingShare: number
  /** Or the minimum share of results with one fingerprint, 0 to 1, … */
  readonly fingerprintShare: number
  /** … in at least this number of tests. */
  readonly fingerprintTests: number
}

export const INFRASTRUCTURE_LIMITS: InfrastructureLimits = {
  failures: 10,
  failingShare: 0.8,
  fingerprintShare: 0.3,
  fingerprintTests: 10,
}

/**
 * Whether a build failed for a reason outside its tests: at least ten of its results fail, and these are 80 % of them, or one fingerprint is the first
 * error of at least 30 % of its results and of at least 10 tests. Skipped tests have no result.
 * Definition: Runledger's own, `docs/statistics.md`.
 */
export function isInfrastructureBuild(
  results: readonly BuildResult[],
  limits: InfrastructureLimits = INFRASTRUCTURE_LIMITS,
): boolean {
  const failures = results.filter(({ failed }) => failed)
  if (failures.length < limits.failures) return false
  if (failures.length >= limits.failingShare * results.length) return true
  return groupCauses(failures).some(
    (cause) =>
      cause.fingerprint !== undefined &&
      cause.testIds.length >= limits.fingerprintTests &&
      cause.results >= limits.fingerprintShare * results.length,
  )
}
