import type { Attachment, Attempt, OutputEntry, SuiteTest, TestOutcome } from '@runledger/core'
import {
  isRepeated,
  readInternalResult,
  tellsAttempts,
  type TestCase,
  type TestModule,
  type TestSuite,
} from './framework-types'
import { mapAttempts, mapTriesWithoutVerdict } from './map-attempts'
import { hasRecorded, mapRecorded } from './map-attachments'
import type { ReadTest } from './module-entities'
import type { Notes } from './module-notes'

export interface TestContext {
  notes: Notes
  /** Stands in for the start of a test that Vitest gives no times. */
  moduleStartedAtMs: number
}

/** Maps one test; its state alone decides, since a flaky test that passed has errors too (framework facts §5.4). */
export function mapTest(test: ReadTest, context: TestContext): SuiteTest {
  return mapPlainTest(test, context) ?? mapEventfulTest(test, context)
}

/**
 * The same for a test that passed at once and left nothing else behind, undefined for others. Most tests are such: V8 makes
 * machine code of what they come by, with all that it calls, and that takes ten times as long for the whole mapping.
 */
function mapPlainTest(
  { testCase, outcome, result, diagnostic }: ReadTest,
  { notes, moduleStartedAtMs }: TestContext,
): SuiteTest | undefined {
  if (outcome !== 'passed' || !diagnostic || diagnostic.retryCount > 0 || diagnostic.flaky) return undefined
  if (result.errors !== undefined && result.errors.length > 0) return undefined
  if (tellsAttempts(testCase) || isRepeated(testCase)) return undefined
  if (hasRecorded(testCase) || notes.readOutput(testCase.id).length > 0) return undefined
  const { startTime, duration: durationMs } = diagnostic
  return {
    titles: listTitles(testCase),
    outcome,
    flaky: false,
    startedAtMs: startTime || moduleStartedAtMs,
    durationMs,
    attempts: [
      { status: 'passed', errors: [], attachments: [], output: [], startedAtMs: startTime, durationMs },
    ],
    note: undefined,
  }
}

function mapEventfulTest(test: ReadTest, { notes, moduleStartedAtMs }: TestContext): SuiteTest {
  const { testCase, outcome, result, diagnostic } = test
  const attempts = hasRun(outcome) ? mapAttempts(test, notes) : mapTriesWithoutVerdict(testCase, notes)
  return {
    titles: listTitles(testCase),
    outcome,
    // An expected failure is tried again by Vitest 3 and 4, though it never failed (framework facts §6). In Vitest 5 one
    // that passed at first, which fails it, and then failed as expected, is flaky.
    flaky: outcome === 'passed' && diagnostic?.flaky === true && attempts.some(hasFailed),
    startedAtMs: diagnostic?.startTime || moduleStartedAtMs,
    durationMs: diagnostic?.duration ?? 0,
    attempts,
    note: result.state === 'skipped' ? result.note : undefined,
  }
}

function hasFailed({ status }: Attempt): boolean {
  return status === 'failed'
}

/** What a test wrote and recorded that came to no verdict and so has no attempt to hold it; undefined for others. */
export function listUnheld(
  { testCase, outcome }: ReadTest,
  notes: Notes,
): { output: OutputEntry[]; attachments: Attachment[] } | undefined {
  if (hasRun(outcome)) return undefined
  const recorded = mapRecorded(testCase, notes)
  return {
    output: [...notes.readOutput(testCase.id), ...recorded.flatMap(({ output }) => output ?? [])],
    attachments: recorded.flatMap(({ attachment }) => attachment ?? []),
  }
}

/** The outcome by Vitest's state and mode (framework facts §3.2). */
export function deriveOutcome(testCase: TestCase, result: ReadTest['result']): TestOutcome {
  const { state } = result
  if (state === 'passed' || state === 'failed') return state
  const { mode } = testCase.options
  if (mode === 'todo') return 'todo'
  if (mode === 'skip') return 'skipped'
  if (state === 'skipped' && hasSkippedItself(testCase, result)) return 'skipped'
  return state === 'pending' && isInSkipped(testCase.parent) ? 'skipped' : 'not-run'
}

/** Vitest overlooks a skipped describe block in a skipped one: tests inside stay pending, in mode run. */
function isInSkipped(parent: TestSuite | TestModule): boolean {
  return parent.type === 'suite' && (parent.options.mode === 'skip' || isInSkipped(parent.parent))
}

// Vitest 4 and later end a test that is under way at a bail as if it had skipped itself, with this reason.
const ABORTED = 'The test run was aborted by the user.'

// A test behind a failed beforeAll hook or a bail is skipped too, its mode still being run.
function hasSkippedItself(testCase: TestCase, result: ReadTest['result']): boolean {
  const note = result.state === 'skipped' ? result.note : undefined
  if (note === ABORTED) return false
  return readInternalResult(testCase).pending === true || note !== undefined
}

/** Describe titles, outermost first, then the test's own. */
export function listTitles(entity: TestCase | TestSuite): string[] {
  const titles = [entity.name]
  let parent: TestSuite | TestModule = entity.parent
  while (parent.type === 'suite') {
    titles.unshift(parent.name)
    parent = parent.parent
  }
  return titles
}

export function hasRun(outcome: TestOutcome): boolean {
  return outcome === 'passed' || outcome === 'failed'
}
