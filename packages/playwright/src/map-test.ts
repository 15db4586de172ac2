import type { Attempt, ErrorDetail, SuiteTest, TestOutcome } from '@runledger/core'
import type { TestCase, TestResult, TestStep } from '@playwright/test/reporter'
import { sumDurations } from '@runledger/reporter-kit'
import { measureAttempt, type NoteReader } from './attempt-notes'
import { describeTest, mapTestFacts } from './describe-test'
import { mapAttachments } from './map-attachments'
import { addEarlierSteps } from './earlier-steps'
import { mapErrors } from './map-error'
import { mapEvents } from './map-events'
import { addNativeSteps, DETAIL_DEPTH } from './map-native-steps'
import { hasEnded, readAnnotations, readAttachments, readSteps, readWorker } from './read-result'

export interface TestContext {
  readNote: NoteReader
  rootDir: string
  /** Levels of `test.step` to record; by default, steps of all kinds of failed tests. */
  stepDepth?: number | undefined
}

/** The verdict follows the framework's own. */
export function mapTest(test: TestCase, context: TestContext): SuiteTest {
  const outcome = deriveOutcome(test)
  const isFlaky =
    outcome === 'passed' &&
    test.outcome() === 'flaky' &&
    test.results.some((result) => missedExpectation(test, result))
  const attempts = mapAttempts(test, context, outcome === 'failed' || isFlaky)
  const startedAtMs = attempts[0]?.startedAtMs ?? 0
  const note = describeTest(test, attempts.at(-1)?.attempt.status === 'interrupted')
  return {
    titles: listTitles(test),
    outcome,
    flaky: isFlaky,
    startedAtMs,
    durationMs: sumDurations(attempts),
    attempts: attempts.map(({ attempt }) => attempt),
    ...(note === undefined ? {} : { note }),
    ...mapTestFacts(test, outcome, context.rootDir),
  }
}

/** True for an interrupted test, and one that should have run and never started. */
export function wasInterrupted(test: TestCase, readNote: NoteReader): boolean {
  const last = test.results.at(-1)
  if (last === undefined) return test.expectedStatus !== 'skipped'
  return readStatus(last, readNote) === 'interrupted'
}

/** Not `ok()`: it is true for tests that never ran, were interrupted, or were skipped on a retry. */
function deriveOutcome(test: TestCase): TestOutcome {
  const outcome = test.outcome()
  if (outcome === 'unexpected') return 'failed'
  if (outcome === 'expected') return 'passed'
  if (outcome === 'flaky')
    return test.results.some((result) => metExpectation(test, result)) ? 'passed' : 'failed'
  // Playwright calls interrupted tests skipped.
  return test.expectedStatus === 'skipped' ? 'skipped' : 'not-run'
}

function metExpectation(test: TestCase, result: TestResult): boolean {
  return result.status !== 'skipped' && result.status === readExpectation(test, result)
}

function missedExpectation(test: TestCase, result: TestResult): boolean {
  return result.status !== 'skipped' && !metExpectation(test, result)
}

/**
 * If a test skips itself in its last attempt, Playwright expects it to be skipped from then on. The expectation of
 * earlier attempts follows from annotations: each attempt's since 1.52, else the last one's.
 */
function readExpectation(test: TestCase, result: TestResult): string {
  if (test.expectedStatus !== 'skipped') return test.expectedStatus
  const own = readAnnotations(result) ?? readAnnotations(test) ?? []
  return own.some(({ type }) => type === 'fail') ? 'failed' : 'passed'
}

/** In the words of Playwright's reporters: its results have no such error. */
const UNEXPECTED_PASS: ErrorDetail = { message: 'Expected to fail, but passed.' }

function passedUnexpectedly(test: TestCase, result: TestResult): boolean {
  return result.status === 'passed' && readExpectation(test, result) === 'failed'
}

interface TimedAttempt {
  attempt: Attempt
  startedAtMs: number
  durationMs: number
}

function mapAttempts(test: TestCase, context: TestContext, hasFailed: boolean): TimedAttempt[] {
  const last = test.results.findLast(wasStarted)
  const attempts = test.results.filter(wasStarted).map((result) => {
    const isLast = result === last
    const isTold = hasFailed && (isLast || missedExpectation(test, result))
    const timed = mapAttempt(test, result, { ...context, isTold, isLast })
    if (passedUnexpectedly(test, result)) timed.attempt.errors.push({ ...UNEXPECTED_PASS })
    return timed
  })
  if (!attempts.some(({ attempt }) => hasContent(attempt))) return []
  addEarlierSteps(attempts.map(({ attempt }) => attempt))
  return attempts
}

/** After a failure in a serial group or beforeAll hook, tests that no worker started have results. */
function wasStarted({ status, workerIndex }: TestResult): boolean {
  return status !== 'skipped' || workerIndex !== -1
}

function hasContent({ status, errors, attachments, output, events = [] }: Attempt): boolean {
  return status !== 'skipped' || errors.length + attachments.length + output.length + events.length > 0
}

/** `isTold`: record the steps of this attempt of a failed or flaky test; the last one with code. */
function mapAttempt(
  test: TestCase,
  result: TestResult,
  context: TestContext & { isTold: boolean; isLast: boolean },
): TimedAttempt {
  const { readNote, rootDir, isTold, isLast, stepDepth = isTold ? DETAIL_DEPTH : 0 } = context
  const note = readNote(result)
  const { startedAtMs, durationMs } = measureAttempt(result, note)
  const events = addNativeSteps(mapEvents(result).own, result, {
    depth: stepDepth,
    areDetails: context.stepDepth === undefined,
    hasSnippets: isTold && isLast,
    startedAtMs,
    seenAtMs: note?.seenAtMs,
    rootDir,
  })
  const worker = readWorker(result)
  const attempt: Attempt = {
    status: readStatus(result, readNote),
    startedAtMs,
    durationMs,
    ...(worker !== undefined && { worker }),
    errors: mapErrors(result, rootDir),
    attachments: mapAttachments(readAttachments(result), note?.keptPaths ?? new Map()),
    output: note?.output ?? [],
    ...(events.length > 0 && { events }),
    ...(missedExpectation(test, result) && hasFailedHook(result) && { failsOutside: true }),
  }
  return { attempt, startedAtMs, durationMs }
}

/** Of the outermost steps, hooks and fixtures of a test are in those of the category `hook`. */
function hasFailedHook(result: TestResult): boolean {
  return readSteps(result).some(
    (step) =>
      step.category === 'hook' && !isErrorOfTest(step) && (step.error !== undefined || !hasEnded(step)),
  )
}

/** Before 1.42, Playwright shows the error of a test without failed steps as a hook, named after the error. */
function isErrorOfTest({ title, error }: TestStep): boolean {
  return error !== undefined && title === (error.message || 'error')
}

/** An attempt that never ended still has the initial status, `skipped`. */
function readStatus(result: TestResult, readNote: NoteReader): TestResult['status'] {
  return readNote(result)?.isOver === false ? 'interrupted' : result.status
}

/** `titlePath()` begins with the root, the project and the file. */
function listTitles(test: TestCase): string[] {
  return test.titlePath().slice(3)
}
