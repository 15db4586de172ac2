import { US_PER_DAY } from '../../base/clock'
import { listCounted, type Result } from '../../record/results/history/results'
import { groupBy } from '../../storage/database/rows'
import { FAILED, FLAKY } from '../../storage/database/schema/history'

/** What a message says about a test of a build. */
export type TestKind = 'test.newly_failing' | 'test.fixed' | 'test.newly_flaky' | 'test.failing_in_a_row'

export interface JudgedResults {
  /** Of one test in builds of the branch, in the order of the builds, up to the judged one. */
  results: readonly Result[]
  /** Whether these are all results on record. */
  isWhole: boolean
}

export interface Judgement {
  kind: TestKind
  /** Whether it does not count for a test that is known to be flaky. */
  isDoubtful: boolean
}

/** A message says that a test fails when it fails in so many builds in a row, and then it is broken, even if it was flaky before. */
const IN_A_ROW = 3
/** A failure is forgotten where the test did not run for so long and in so many builds: a job of a matrix may have been removed. */
const FORGOTTEN = { us: 7 * US_PER_DAY, builds: 10 }

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
  const { isFailing: wasFailing, failedBuilds: failedBefore } = state
  state.add(now)
  const hasEarlier = isWhole || builds.length > 1
  if (state.isFailing) {
    if (!wasFailing) return hasEarlier ? { kind: 'test.newly_failing', isDoubtful: true } : undefined
    const isThird = state.failedBuilds === IN_A_ROW && failedBefore < IN_A_ROW && state.isRowKnown
    return isThird ? { kind: 'test.failing_in_a_row', isDoubtful: false } : undefined
  }
  if (wasFailing) return { kind: 'test.fixed', isDoubtful: failedBefore < IN_A_ROW }
  const isNewlyFlaky =
    hasEarlier &&
    counted.every(({ build, outcome }) => build.id === buildId || outcome < FLAKY) &&
    listLast(now).some(([, outcome]) => outcome === FLAKY)
  return isNewlyFlaky ? { kind: 'test.newly_flaky', isDoubtful: false } : undefined
}

/** The last result in each environment. */
function listLast(ofBuild: readonly Result[]): [environment: string, outcome: number][] {
  return [...new Map(ofBuild.map(({ environment, outcome }) => [environment ?? '', outcome]))]
}

/** Of a test after some builds. */
class TestState {
  /** Environments in which it fails: when the last build in which it did began, and how many builds followed. */
  readonly #failing = new Map<string, { us: number; builds: number }>()
  /** Builds in which it failed since it failed nowhere. */
  failedBuilds = 0
  /** Whether the row of failed builds began within the results. */
  isRowKnown: boolean

  constructor(isWhole: boolean) {
    this.isRowKnown = isWhole
  }

  get isFailing(): boolean {
    return this.#failing.size > 0
  }

  begin(ofBuild: readonly Result[]): void {
    if (!this.isFailing) return
    for (const [environment, { us, builds }] of this.#failing) {
      if (builds >= FORGOTTEN.builds && us < startOf(ofBuild) - FORGOTTEN.us)
        this.#failing.delete(environment)
      else this.#failing.set(environment, { us, builds: builds + 1 })
    }
    this.#endRow()
  }

  add(ofBuild: readonly Result[]): void {
    const last = listLast(ofBuild)
    for (const [environment, outcome] of last) {
      if (outcome === FAILED) this.#failing.set(environment, { us: startOf(ofBuild), builds: 0 })
      else this.#failing.delete(environment)
    }
    if (last.some(([, outcome]) => outcome === FAILED)) this.failedBuilds += 1
    this.#endRow()
  }

  #endRow(): void {
    if (this.isFailing) return
    this.failedBuilds = 0
    this.isRowKnown = true
  }
}

function startOf([first]: readonly Result[]): number {
  return first?.build.started_at_us ?? 0
}
