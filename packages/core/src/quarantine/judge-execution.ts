import { createHash } from 'node:crypto'
import {
  type CreateRunRequest,
  fingerprintText,
  type QuarantineList,
  type Step,
  STEP_NAME_SEPARATOR,
} from '@runledger/protocol'
import type { FrameworkEnd } from '../model/framework-end'
import type { Suite, SuiteTest } from '../model/suite'
import { formatStepName } from '../record/step-name'

/** A list that was checked. */
export interface KnownList {
  entries: QuarantineList['entries']
  /** By the service's clock. */
  nowMs: number
}

export interface NoList {
  /** A clause: `the service did not respond`. */
  reason: string
}

export interface JudgedExecution {
  end: FrameworkEnd
  /** As they are recorded, whether they were sent or not. */
  runs: readonly CreateRunRequest[]
  /** The suites that the runs were made of. */
  suites: readonly Suite[]
  /** Runs that are neither with the service nor in the spool. */
  lostRuns: number
  findList: (procedureId: string) => KnownList | NoList
}

/** `reasons` why it fails, each a clause; empty if every failure is quarantined. */
export interface Judgement {
  reasons: string[]
  /** Names of the failed tests that are quarantined. */
  quarantined: string[]
}

/**
 * Decides on a failed execution: it passes only if every failure is one of a test whose errors, in each failed attempt, all have a
 * live entry in the list, and nothing else failed or may have failed. Anything unknown counts as a failure.
 */
export function judgeExecution({ end, runs, suites, lostRuns, findList }: JudgedExecution): Judgement {
  const { failedTests, otherReasons } = end
  const tests = suites.flatMap((suite) => suite.tests.map((test) => ({ suite, test })))
  const outer = listOuter(tests)
  const judged = runs.map((run) => judgeRun(run, { list: findList(run.procedure_id), outer }))
  const reasons = [
    ...otherReasons,
    ...tests.flatMap(({ test }) => explainTest(test)),
    ...judged.flatMap((each) => each.reasons),
  ]
  const failed = judged.reduce((sum, each) => sum + each.failedTests, 0)
  if (failed < failedTests)
    reasons.push(`${failedTests} tests failed, and only ${failed} of them are on record`)
  if (lostRuns > 0) reasons.push('a part of the execution is neither with the service nor kept for it')
  const quarantined = judged.flatMap((each) => each.quarantined)
  if (reasons.length + quarantined.length === 0) reasons.push('no test that failed is on record')
  return { reasons, quarantined }
}

/** Reasons that are not in the record of the test. */
function explainTest({ outcome, titles, attempts }: SuiteTest): string[] {
  const name = formatStepName(titles)
  if (outcome === 'not-run') return [`"${name}" did not run`]
  if (outcome === 'failed' && attempts.some(({ failsOutside }) => failsOutside))
    return [`"${name}" failed in a hook or its file`]
  return []
}

/** Tests that failed only because a test inside of them did. Tests with equal names are left out, because the record numbers them. */
function listOuter(tests: readonly { suite: Suite; test: SuiteTest }[]): Set<string> {
  const seen = new Set<string>()
  const outer = new Set<string>()
  for (const { suite, test } of tests) {
    const key = keyOf(suite, test)
    if (seen.has(key)) outer.delete(key)
    else if (failsByInner(test)) outer.add(key)
    seen.add(key)
  }
  return outer
}

function failsByInner({ outcome, attempts }: SuiteTest): boolean {
  return outcome === 'failed' && attempts.length > 0 && attempts.every((attempt) => attempt.failsByInner)
}

function keyOf({ file }: Pick<Suite, 'file'>, { titles }: SuiteTest): string {
  return JSON.stringify([file, formatStepName(titles)])
}

interface RunContext {
  list: KnownList | NoList
  /** Tests that failed only because a test inside of them did, by file and name. */
  outer: ReadonlySet<string>
}

interface JudgedRun extends Judgement {
  failedTests: number
}

function judgeRun(run: CreateRunRequest, { list, outer }: RunContext): JudgedRun {
  const steps = run.steps ?? []
  const file = run.report_variables?.['file']
  const failed = steps.filter((step) => !step.step_passed && !isInsideTest(step, steps))
  const tests = failed.filter(({ kind }) => kind === 'test')
  const reasons = failed
    .filter(({ kind }) => kind !== 'test')
    .map(({ name }) => `"${name}" failed, which is no test`)
  if (!run.run_passed && failed.length === 0) reasons.push(`${file} failed, and none of its tests`)
  const quarantined: string[] = []
  for (const test of tests) {
    if (isExplainedByInner(test, { file, tests, outer })) continue
    const reason = explainStep(test, run, list)
    if (reason === undefined) quarantined.push(test.name)
    else reasons.push(reason)
  }
  return { failedTests: tests.length, reasons, quarantined }
}

/** A step or measurement in a test, which has the verdict. */
function isInsideTest({ parent }: Step, steps: readonly Step[]): boolean {
  const outer = parent === undefined ? undefined : steps[parent]
  return outer !== undefined && (outer.kind === 'test' || isInsideTest(outer, steps))
}

function isExplainedByInner(
  { name }: Step,
  { file, tests, outer }: { file: string | undefined; tests: readonly Step[]; outer: ReadonlySet<string> },
): boolean {
  const isOuter = outer.has(JSON.stringify([file, name]))
  return isOuter && tests.some((test) => test.name.startsWith(name + STEP_NAME_SEPARATOR))
}

/** Undefined if the failure is quarantined. */
function explainStep(step: Step, run: CreateRunRequest, list: KnownList | NoList): string | undefined {
  const { name } = step
  if ('reason' in list) return list.reason
  const errors = listErrors(step)
  if (errors === undefined) return `the record lacks errors of "${name}"`
  const { file, project } = run.report_variables ?? {}
  const ofTest = list.entries.filter(
    (entry) =>
      entry.name === name.trim() &&
      entry.file === (step.location?.file ?? file ?? null) &&
      entry.project === (project ?? null),
  )
  if (ofTest.length === 0) return `"${name}" is not quarantined`
  const live = ofTest.filter(({ ends_at }) => Date.parse(ends_at) > list.nowMs)
  if (live.length === 0) return `the quarantine of "${name}" has ended`
  if (live.some(({ fingerprint }) => fingerprint === null)) return undefined
  if (errors.some((group) => group.length === 0)) return `the record lacks errors of "${name}"`
  const fingerprints = errors.flat().map(fingerprintOf)
  const unknown = fingerprints.find((own) => !live.some(({ fingerprint }) => fingerprint === own))
  return unknown && `"${name}" failed with an error that is not quarantined (fingerprint ${unknown})`
}

type StepError = NonNullable<Step['error']>

/** The errors of each failed attempt, the last one's first; undefined if the record lacks some, or an attempt was cut short. */
function listErrors({
  error,
  errors,
  more_errors,
  attempts = [],
  more_attempts,
}: Step): StepError[][] | undefined {
  const earlier = attempts.slice(0, -1).filter(({ outcome }) => outcome !== 'PASS' && outcome !== 'SKIP')
  const isWhole =
    !more_errors && !more_attempts && earlier.every((each) => each.outcome === 'FAIL' && !each.more_errors)
  const own = errors ?? (error ? [error] : [])
  return isWhole ? [own, ...earlier.map((attempt) => attempt.errors ?? [])] : undefined
}

function fingerprintOf(error: StepError): string {
  return createHash('sha256').update(fingerprintText(error)).digest('hex')
}
