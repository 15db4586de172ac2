import { findEvidence, listCounted, type Result } from '../../record/results/history/results'
import { groupBy } from '../../storage/database/rows'
import { FAILED, FLAKY } from '../../storage/database/schema/history'

/** What a message says about a test of a build. */
export type TestKind = 'test.newly_failing' | 'test.fixed' | 'test.newly_flaky' | 'test.failing_in_a_row'

export interface JudgedResults {
  /** Of one test in builds of the branch, in the order of the builds, up to the judged one. */
  results: readonly Result[]
  /** Whether these are all results on record. */
  isWhole: boolean
  nowUs: number
}

/** The failed build that makes three in a row has so many failed ones before it. */
const FAILED_BEFORE = 2
/** A test that failed in so many builds in a row is broken, even if it was flaky before. */
const CONSTANT = 3

/** Infrastructure builds do not count. */
export function judgeTest(buildId: number, { results, isWhole, nowUs }: JudgedResults): TestKind[] {
  const counted = listCounted(results)
  const ofBuild = counted.filter(({ build }) => build.id === buildId)
  const before = counted.filter(({ build }) => build.id !== buildId)
  if (ofBuild.length === 0) return []
  const now = summarize(ofBuild)
  const earlier = [...groupBy(before, ({ build }) => build.id).values()].map(summarize).toReversed()
  const isKnownFlaky = findEvidence([...before, ...ofBuild.filter(isNoRetry)], nowUs).length > 0
  if (now.failing.length > 0) {
    // A build that ran the test elsewhere only says nothing about these environments.
    const comparable = earlier.filter(
      ({ failing, ran }) => failing.length > 0 || now.failing.some((environment) => ran.has(environment)),
    )
    const failed = countFailing(comparable)
    if (failed === comparable.length && !isWhole) return []
    if (failed === 0) return isKnownFlaky ? [] : ['test.newly_failing']
    return failed === FAILED_BEFORE ? ['test.failing_in_a_row'] : []
  }
  const failed = countFailing(earlier)
  const hasRunAgain = earlier[0]?.failing.every((environment) => now.ran.has(environment)) ?? false
  // One pass of a flaky test proves nothing.
  if (failed > 0 && hasRunAgain && (failed >= CONSTANT || !isKnownFlaky)) return ['test.fixed']
  const isNewlyFlaky = now.isFlaky && before.every(({ outcome }) => outcome < FLAKY)
  return isNewlyFlaky ? ['test.newly_flaky'] : []
}

function isNoRetry({ outcome }: Result): boolean {
  return outcome !== FLAKY
}

interface BuildSummary {
  /** Environments whose last result is a failure. */
  failing: string[]
  /** Environments in which the test was not skipped. */
  ran: ReadonlySet<string>
  isFlaky: boolean
}

function summarize(ofBuild: readonly Result[]): BuildSummary {
  const last = new Map(ofBuild.map(({ environment, outcome }) => [environment ?? '', outcome]))
  const listWith = (wanted: number) => [...last].filter(([, outcome]) => outcome === wanted)
  return {
    failing: listWith(FAILED).map(([environment]) => environment),
    ran: new Set(last.keys()),
    isFlaky: listWith(FLAKY).length > 0,
  }
}

/** How many of the first builds failed in a row. */
function countFailing(builds: readonly BuildSummary[]): number {
  const end = builds.findIndex(({ failing }) => failing.length === 0)
  return end < 0 ? builds.length : end
}
