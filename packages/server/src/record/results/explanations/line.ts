import { FAILED, PASSED, SKIPPED } from '../../../storage/database/schema/history'
import type { Result } from '../history/results'

/** In the order of builds. */
export interface Line {
  results: readonly Result[]
  failure: Result
}

export interface FailingRow {
  first: Result
  builds: number
  lastPassed: Result | undefined
  fixedBy: Result | undefined
}

/**
 * A branch continues the default branch that it was cut from: results up to the merge base come first or, if that is not among
 * them, those before the branch's first.
 */
export function joinLine(
  own: readonly Result[],
  ofDefault: readonly Result[],
  mergeBase: string | undefined,
): Result[] {
  const [first] = own
  const base = ofDefault.findLast(({ build }) => mergeBase !== undefined && build.git_commit === mergeBase)
  const until = base?.build.started_at_us ?? (first ? first.build.started_at_us - 1 : Infinity)
  return [...ofDefault.filter(({ build }) => build.started_at_us <= until), ...own]
}

/** The last result of a build counts; in the build of the failure, the failure. */
export function findFailingRow({ results, failure }: Line): FailingRow {
  const told = results.filter((result) => isTelling(result) || result.build.id === failure.build.id)
  const builds = [...new Map(told.map((result) => [result.build.id, result])).values()].map((result) =>
    result.build.id === failure.build.id ? failure : result,
  )
  const at = builds.indexOf(failure)
  let from = at
  while (builds[from - 1]?.outcome === FAILED) from -= 1
  let next = at + 1
  while (builds[next]?.outcome === FAILED) next += 1
  return {
    first: builds[from] ?? failure,
    builds: at - from + 1,
    lastPassed: builds[from - 1],
    fixedBy: builds[next],
  }
}

/** The test ran, and no outage failed it. */
export function isTelling({ outcome, isInfrastructure }: Result): boolean {
  return outcome !== SKIPPED && (!isInfrastructure || outcome === PASSED)
}
