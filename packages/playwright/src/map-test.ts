import type { Attempt, SuiteTest, TestOutcome } from '@runledger/core'
import type { TestCase, TestResult } from '@playwright/test/reporter'
import { measureAttempt, type NoteReader } from './attempt-notes'
import { mapAttachments } from './map-attachments'
import { mapError } from './map-errors'
import { addNativeSteps } from './map-native-steps'
import { mapSaid } from './map-said'

/** Maps a test with all its attempts; the verdict follows the framework's own (framework facts, 4.2 and 6). */
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
      test.results.some((result) => wentWrong(test, result)),
    startedAtMs,
    durationMs: Math.max(0, ...attempts.map((attempt) => endOf(attempt) - startedAtMs)),
    attempts: attempts.map(({ attempt }) => attempt),
    ...(note === undefined ? {} : { note }),
  }
}

/** True for a test that was cut off, or that should have run and was never begun. */
export function wasCut(test: TestCase, readNote: NoteReader): boolean {
  const last = test.results.at(-1)
  if (last === undefined) return test.expectedStatus !== 'skipped'
  return readStatus(last, readNote) === 'interrupted'
}

/**
 * `ok()` alone will not do: it is true for tests that never ran or were interrupted, and for one that failed and was
 * then skipped on its retry, which never passed.
 */
function deriveOutcome(test: TestCase): TestOutcome {
  const outcome = test.outcome()
  if (outcome === 'unexpected') return 'failed'
  if (outcome === 'expected') return 'passed'
  if (outcome === 'flaky') return test.results.some((result) => cameOut(test, result)) ? 'passed' : 'failed'
  return test.expectedStatus === 'skipped' ? 'skipped' : 'not-run'
}

/** True for an attempt that came to what it was to come to. */
function cameOut(test: TestCase, result: TestResult): boolean {
  return result.status !== 'skipped' && result.status === readExpectation(test, result)
}

function wentWrong(test: TestCase, result: TestResult): boolean {
  return result.status !== 'skipped' && !cameOut(test, result)
}

/**
 * A test that skips itself in its last attempt is expected to be skipped from then on; what was expected of the attempts
 * before (a serial group is tried again whole, tests that had passed among them) only annotations tell: those of each
 * attempt since version 1.52, those of the last one in earlier versions.
 */
function readExpectation({ expectedStatus, annotations }: TestCase, result: TestResult): string {
  if (expectedStatus !== 'skipped') return expectedStatus
  const own = (result as Partial<Pick<TestResult, 'annotations'>>).annotations ?? annotations
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
  const attempts = results.filter(wasTried).map((result) => mapAttempt(result, readNote, stepDepth))
  return attempts.some(({ attempt }) => saysSomething(attempt)) ? attempts : []
}

/** A serial group or a beforeAll hook that failed leaves results of tests that no worker ever began. */
function wasTried({ status, workerIndex }: TestResult): boolean {
  return status !== 'skipped' || workerIndex !== -1
}

function saysSomething({ status, errors, attachments, output, said = [] }: Attempt): boolean {
  return status !== 'skipped' || errors.length + attachments.length + output.length + said.length > 0
}

function mapAttempt(result: TestResult, readNote: NoteReader, stepDepth: number): TimedAttempt {
  const note = readNote(result)
  const { startedAtMs, durationMs } = measureAttempt(result, note)
  const said = addNativeSteps(mapSaid(result).own, result, stepDepth)
  const attempt: Attempt = {
    status: readStatus(result, readNote),
    startedAtMs,
    durationMs,
    errors: result.errors.map(mapError),
    attachments: mapAttachments(result.attachments, note?.keptPaths ?? new Map()),
    output: note?.output ?? [],
    ...(said.length > 0 && { said }),
  }
  return { attempt, startedAtMs, durationMs }
}

/** An attempt that began and never ended still has Playwright's initial status, `skipped`. */
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

// What Playwright adds by itself and says nothing of the test.
const OWN_ANNOTATIONS = ['serial', 'slow']

/** Annotations and tags, for the log; a type that begins with `_` is hidden in Playwright's own reports too. */
function describeTest(test: TestCase, attempts: readonly TimedAttempt[]): string | undefined {
  const remarks = test.annotations
    .filter(({ type }) => !OWN_ANNOTATIONS.includes(type) && !type.startsWith('_'))
    .map(({ type, description }) => (description ? `${type}: ${description}` : type))
  if (attempts.at(-1)?.attempt.status === 'interrupted') remarks.push('interrupted')
  // Tags are there since 1.42; those in a title need no second mention.
  const { tags = [] } = test as Partial<Pick<TestCase, 'tags'>>
  remarks.push(...tags.filter((tag) => !test.title.includes(tag)))
  return remarks.length === 0 ? undefined : [...new Set(remarks)].join(', ')
}
