import type { Attempt, SuiteTest, TestOutcome } from '@runledger/core'
import { formatText, readList } from '@runledger/reporter-kit'
import type { TestCase, TestError, TestResult } from '@playwright/test/reporter'
import { measureAttempt, type NoteReader } from './attempt-notes'
import { mapAttachments } from './map-attachments'
import { mapError } from './map-errors'
import { mapEvents } from './map-events'
import { addNativeSteps } from './map-native-steps'
import { readAnnotations, readAttachments } from './read-result'

/** Maps a test with all its attempts; the verdict follows the framework's own. */
export function mapTest(test: TestCase, readNote: NoteReader, stepDepth = 0): SuiteTest {
  const outcome = deriveOutcome(test)
  const attempts = mapAttempts(test.results, readNote, stepDepth)
  const startedAtMs = attempts[0]?.startedAtMs ?? 0
  const note = describeTest(test, attempts)
  return {
    titles: listTitles(test),
    outcome,
    flaky:
      outcome === 'passed' &&
      test.outcome() === 'flaky' &&
      test.results.some((result) => missedExpectation(test, result)),
    startedAtMs,
    durationMs: Math.max(0, ...attempts.map((attempt) => endOf(attempt) - startedAtMs)),
    attempts: attempts.map(({ attempt }) => attempt),
    ...(note === undefined ? {} : { note }),
  }
}

/** True for an interrupted test, and for one that should have run and never started. */
export function wasInterrupted(test: TestCase, readNote: NoteReader): boolean {
  const last = test.results.at(-1)
  if (last === undefined) return test.expectedStatus !== 'skipped'
  return readStatus(last, readNote) === 'interrupted'
}

/**
 * Not `ok()`: that is true for tests that never ran or were interrupted, and for one that failed and was then skipped on
 * its retry, which never passed.
 */
function deriveOutcome(test: TestCase): TestOutcome {
  const outcome = test.outcome()
  if (outcome === 'unexpected') return 'failed'
  if (outcome === 'expected') return 'passed'
  if (outcome === 'flaky')
    return test.results.some((result) => metExpectation(test, result)) ? 'passed' : 'failed'
  // Interrupted tests are here too: Playwright calls them skipped.
  return test.expectedStatus === 'skipped' ? 'skipped' : 'not-run'
}

/** True for an attempt with the expected status. */
function metExpectation(test: TestCase, result: TestResult): boolean {
  return result.status !== 'skipped' && result.status === readExpectation(test, result)
}

function missedExpectation(test: TestCase, result: TestResult): boolean {
  return result.status !== 'skipped' && !metExpectation(test, result)
}

/**
 * When a test skips itself in its last attempt, Playwright expects it to be skipped from then on. What was expected of
 * earlier attempts (a serial group is retried whole, with tests that had passed) follows from the annotations: of each
 * attempt since version 1.52, of the last attempt in earlier versions.
 */
function readExpectation(test: TestCase, result: TestResult): string {
  if (test.expectedStatus !== 'skipped') return test.expectedStatus
  const own = readAnnotations(result) ?? readAnnotations(test) ?? []
  return own.some(({ type }) => type === 'fail') ? 'failed' : 'passed'
}

interface TimedAttempt {
  attempt: Attempt
  startedAtMs: number
  durationMs: number
}

function mapAttempts(
  results: readonly TestResult[],
  readNote: NoteReader,
  stepDepth: number,
): TimedAttempt[] {
  const attempts = results.filter(wasStarted).map((result) => mapAttempt(result, readNote, stepDepth))
  return attempts.some(({ attempt }) => hasContent(attempt)) ? attempts : []
}

/** After a failure in a serial group or a beforeAll hook there are results of tests that no worker started. */
function wasStarted({ status, workerIndex }: TestResult): boolean {
  return status !== 'skipped' || workerIndex !== -1
}

function hasContent({ status, errors, attachments, output, events = [] }: Attempt): boolean {
  return status !== 'skipped' || errors.length + attachments.length + output.length + events.length > 0
}

function mapAttempt(result: TestResult, readNote: NoteReader, stepDepth: number): TimedAttempt {
  const note = readNote(result)
  const { startedAtMs, durationMs } = measureAttempt(result, note)
  const events = addNativeSteps(mapEvents(result).own, result, { depth: stepDepth, startedAtMs })
  const attempt: Attempt = {
    status: readStatus(result, readNote),
    startedAtMs,
    durationMs,
    errors: readList(result.errors).map((error) => mapError(error as TestError)),
    attachments: mapAttachments(readAttachments(result), note?.keptPaths ?? new Map()),
    output: note?.output ?? [],
    ...(events.length > 0 && { events }),
  }
  return { attempt, startedAtMs, durationMs }
}

/** An attempt that never ended still has Playwright's initial status, `skipped`. */
function readStatus(result: TestResult, readNote: NoteReader): TestResult['status'] {
  return readNote(result)?.isOver === false ? 'interrupted' : result.status
}

function endOf({ startedAtMs, durationMs }: TimedAttempt): number {
  return startedAtMs + durationMs
}

/** Describe titles and the test's own: `titlePath()` begins with the root, the project and the file. */
function listTitles(test: TestCase): string[] {
  return test.titlePath().slice(3)
}

// Playwright adds these by itself; they say nothing about the test.
const OWN_ANNOTATIONS = ['serial', 'slow']

/** Annotations and tags, for the log; a type that begins with `_` is hidden in Playwright's own reports too. */
function describeTest(test: TestCase, attempts: readonly TimedAttempt[]): string | undefined {
  const remarks = (readAnnotations(test) ?? [])
    .filter(({ type }) => !OWN_ANNOTATIONS.includes(type) && !type.startsWith('_'))
    .map(({ type, description }) => (description ? `${type}: ${description}` : type))
  if (attempts.at(-1)?.attempt.status === 'interrupted') remarks.push('interrupted')
  // Since 1.42. Tags in the title are not repeated.
  const { tags } = test as Partial<Pick<TestCase, 'tags'>>
  remarks.push(
    ...readList(tags)
      .map(formatText)
      .filter((tag) => !test.title.includes(tag)),
  )
  return remarks.length === 0 ? undefined : [...new Set(remarks)].join(', ')
}
