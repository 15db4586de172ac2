import { US_PER_DAY } from '../../base/clock'
import { listCounted, type Result } from '../../record/results/history/results'
import { groupBy } from '../../storage/database/rows'
import { type BuildsTable, FAILED, FLAKY } from '../../storage/database/schema/history'

/** The kinds of messages about a test of a build. */
export type TestKind = 'test.newly_failing' | 'test.fixed' | 'test.newly_flaky' | 'test.failing_in_a_row'

export interface JudgedResults {
  /** The results of one test on the branch, in the order of the builds. The judged build is the last one. */
  results: readonly Result[]
  /** Whether these are all results on record. */
  isWhole: boolean
}

export interface Judgement {
  kind: TestKind
  /** The build in which the test began to fail, if the judgement does not count for a test that was flaky by then. */
  doubtfulSince?: BuildsTable
}

/** A test that failed in this number of consecutive builds in an environment is broken, even if it was flaky before. */
const IN_A_ROW = 3
/** A failure is forgotten if its environment has not run the test for this time and in this number of builds. */
const FORGOTTEN = { us: 15 * US_PER_DAY, builds: 10 }

/** A test fails from its first failure until it has passed in each environment in which it failed. Infrastructure builds do not count. */
export function judgeTest(buildId: number, { results, isWhole }: JudgedResults): Judgement | undefined {
  const counted = listCounted(results)
  const builds = [...groupBy(counted, ({ build }) => build.id).values()]
  const now = builds.at(-1)
  if (now?.[0]?.build.id !== buildId) return undefined
  const state = new TestState(isWhole)
  for (const ofBuild of builds.slice(0, -1)) {
    state.begin(ofBuild)
    state.add(ofBuild)
  }
  state.begin(now)
  const { since, isBroken: wasBroken } = state
  state.add(now)
  const hasEarlier = isWhole || builds.length > 1
  if (state.since) {
    if (!since) return hasEarlier ? { kind: 'test.newly_failing', doubtfulSince: state.since } : undefined
    const isThird = state.isBroken && !wasBroken && state.isRowKnown
    return isThird ? { kind: 'test.failing_in_a_row' } : undefined
  }
  if (since) return { kind: 'test.fixed', ...(wasBroken ? {} : { doubtfulSince: since }) }
  const isNewlyFlaky =
    hasEarlier &&
    counted.every(({ build, outcome }) => build.id === buildId || outcome < FLAKY) &&
    listLast(now).some(([, outcome]) => outcome === FLAKY)
  return isNewlyFlaky ? { kind: 'test.newly_flaky' } : undefined
}

/** The last result in each environment. */
function listLast(ofBuild: readonly Result[]): [environment: string, outcome: number][] {
  return [...new Map(ofBuild.map(({ environment, outcome }) => [environment ?? '', outcome]))]
}

interface Failing {
  /** When the last build in which it failed began. */
  lastUs: number
  /** Builds in a row in which it failed. */
  failed: number
  /** Builds since then that did not run the test in this environment. */
  missed: number
}

/** The state of a test after some builds. */
class TestState {
  readonly #failing = new Map<string, Failing>()
  /** The build in which it began to fail; undefined if it fails nowhere. */
  since: BuildsTable | undefined
  /** Whether it has failed `IN_A_ROW` times in an environment since it began to fail. */
  isBroken = false
  /** Whether the build in which it began to fail is among the results. */
  isRowKnown: boolean

  constructor(isWhole: boolean) {
    this.isRowKnown = isWhole
  }

  begin([first]: readonly Result[]): void {
    const startedAtUs = first?.build.started_at_us ?? 0
    for (const [environment, { missed, lastUs }] of this.#failing)
      if (missed >= FORGOTTEN.builds && lastUs < startedAtUs - FORGOTTEN.us) this.#failing.delete(environment)
    if (this.since) this.#endRow()
  }

  add(ofBuild: readonly Result[]): void {
    const last = new Map(listLast(ofBuild))
    for (const [environment, failing] of this.#failing) {
      if (!last.has(environment)) failing.missed += 1
      else if (last.get(environment) !== FAILED) this.#failing.delete(environment)
    }
    for (const [environment, outcome] of last) if (outcome === FAILED) this.#addFailure(environment, ofBuild)
    this.#endRow()
  }

  #addFailure(environment: string, [first]: readonly Result[]): void {
    const failed = (this.#failing.get(environment)?.failed ?? 0) + 1
    this.#failing.set(environment, { lastUs: first?.build.started_at_us ?? 0, failed, missed: 0 })
    this.since ??= first?.build
    this.isBroken ||= failed >= IN_A_ROW
  }

  #endRow(): void {
    if (this.#failing.size > 0) return
    this.since = undefined
    this.isBroken = false
    this.isRowKnown = true
  }
}
