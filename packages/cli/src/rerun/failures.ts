import type { RunDetail, RunListItem } from '@runledger/protocol'
import { readVariable } from '../ask/runs'
import { describePlace, environmentOf, findReplaced, SHARDED } from '../gate/replaced-runs'
import { type FailedTest, keyOfTest, readRecordedRun, type RecordedRun } from './recorded-run'
import type { SelectableFramework } from './select-tests'

/** A test that failed in one environment, or did not run beside one that failed. */
export interface Failure {
  test: FailedTest
  environment: string
  /** Why it did not run; undefined if it failed. */
  reason: string | undefined
  /** Why tests that are not on record may have failed. */
  unknown: string | undefined
  /** Number of runs that may have failed, by place. Jobs that differ only in facts not on record (a database) share a place. */
  places: Map<string, number>
  /** Number of passes in each execution of `runledger run --failed`, by its id. */
  passes: Map<string, number>
  /** The last execution of `runledger run --failed` in which it failed. */
  failedIn: string | undefined
}

/** An error of no file, which no test can clear. */
export interface OtherFailure {
  name: string
  runId: string
}

/**
 * The failures of a build that are not cleared. A later attempt of the CI job (`ci_rerun`) clears them, or one execution of
 * `runledger run --failed` that passes the test in the same environment as often as it may have failed.
 */
export class Failures {
  readonly others: OtherFailure[] = []
  readonly #left = new Map<string, Failure>()
  readonly #replaced: ReadonlySet<string>
  readonly #counts = new Map<string, number>()

  /** Takes all runs of a build. */
  constructor(runs: readonly RunListItem[]) {
    this.#replaced = findReplaced(runs)
    for (const run of runs) {
      const place = describePlace(run)
      if (readRerun(run) === undefined && !this.#replaced.has(run.id))
        this.#counts.set(place, (this.#counts.get(place) ?? 0) + 1)
    }
  }

  /** Whether to read the run: it may have failures that count, or clear some. */
  needs(run: RunListItem): boolean {
    return !this.#replaced.has(run.id) && (run.outcome !== 'PASS' || readRerun(run) !== undefined)
  }

  list(): Failure[] {
    return [...this.#left.values()]
  }

  /** Adds a run, and returns the outcomes of its tests. Add runs in the order of their attempts. */
  add(run: RunDetail): Map<string, Outcome> {
    const read = readRecordedRun(run)
    const environment = nameEnvironment(run)
    const outcomes = listOutcomes(run, read)
    const rerun = readRerun(run)
    if (rerun !== undefined) this.#clear(outcomes, { environment, rerun })
    const { failed, elsewhere, unknown } = read
    for (const test of failed) this.#addFailure({ test, environment, reason: undefined, unknown }, run)
    // Node 20 reports tests that a pattern leaves out as skipped, with a reason.
    const isSelected = rerun !== undefined && isOfFramework(run, 'node:test')
    for (const { reason, ...test } of failed.length === 0 || isSelected ? [] : read.unrun)
      this.#addFailure({ test, environment, reason, unknown: undefined }, run)
    // A rerun that broke elsewhere cleared nothing: what it was to run is left.
    if (rerun === undefined) this.others.push(...elsewhere.map((name) => ({ name, runId: run.id })))
    return outcomes
  }

  #clear(
    outcomes: ReadonlyMap<string, Outcome>,
    { environment, rerun }: { environment: string; rerun: string },
  ): void {
    for (const [test, outcome] of outcomes) {
      const key = JSON.stringify([environment, test])
      const failure = this.#left.get(key)
      if (failure === undefined) continue
      if (outcome.is === 'failed') failure.failedIn = rerun
      if (!clears(outcome, failure) || failure.failedIn === rerun) continue
      failure.passes.set(rerun, (failure.passes.get(rerun) ?? 0) + 1)
      if ((failure.passes.get(rerun) ?? 0) >= countNeeded(failure)) this.#left.delete(key)
    }
  }

  #addFailure(found: Pick<Failure, 'test' | 'environment' | 'reason' | 'unknown'>, run: RunDetail): void {
    const key = JSON.stringify([found.environment, keyOfTest(found.test)])
    const known = this.#left.get(key)
    const failure: Failure = known ?? { ...found, places: new Map(), passes: new Map(), failedIn: undefined }
    this.#left.set(key, failure)
    if (found.reason === undefined) failure.reason = undefined
    failure.unknown ??= found.unknown
    const rerun = readRerun(run)
    if (rerun === undefined || !known) {
      // Every shard of Playwright loads every file.
      const place = describePlace(run, found.unknown === undefined ? undefined : SHARDED)
      const count = rerun === undefined ? (this.#counts.get(describePlace(run)) ?? 1) : 1
      failure.places.set(place, Math.max(failure.places.get(place) ?? 0, count))
    }
    failure.passes.clear()
    failure.failedIn = rerun
  }
}

export function countNeeded({ places }: Failure): number {
  return [...places.values()].reduce((sum, count) => sum + count, 0)
}

export type Outcome =
  | { is: 'passed' | 'failed' }
  /** `isAlone`: nothing failed in the run, so no failure caused the skip. */
  | { is: 'skipped'; reason: string; isAlone: boolean }

function clears(outcome: Outcome, { reason }: Failure): boolean {
  return outcome.is === 'passed' || (outcome.is === 'skipped' && outcome.isAlone && outcome.reason === reason)
}

/** Lists outcomes by test and by file. A file fails if one of its tests fails. */
function listOutcomes(run: RunDetail, { passed, failed, unrun }: RecordedRun): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>()
  const add = (test: FailedTest, is: 'passed' | 'failed') => {
    const file = { ...test, name: undefined }
    // Playwright names no project of a file that cannot be loaded.
    const unloaded = isOfFramework(run, 'playwright') ? [{ ...file, project: '' }] : []
    for (const each of [test, file, ...unloaded]) outcomes.set(keyOfTest(each), { is })
  }
  const isAlone = run.outcome === 'PASS'
  for (const { reason, ...test } of unrun) outcomes.set(keyOfTest(test), { is: 'skipped', reason, isAlone })
  for (const test of passed) add(test, 'passed')
  for (const test of failed) add(test, 'failed')
  return outcomes
}

export function readRerun(run: Pick<RunListItem, 'metadata'>): string | undefined {
  return readVariable(run, 'failed_rerun')
}

export function isOfFramework(run: Pick<RunListItem, 'metadata'>, framework: SelectableFramework): boolean {
  return readVariable(run, 'framework') === framework
}

function nameEnvironment(run: RunDetail): string {
  const [os = 'an unknown system', node] = environmentOf(run)
  return node === undefined ? os : `${os} with Node ${node.replace(/^v/, '')}`
}
