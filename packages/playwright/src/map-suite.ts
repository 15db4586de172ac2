import type { ErrorDetail, OutputEntry, Problem, Suite } from '@runledger/core'
import type { SuiteFacts } from '@runledger/reporter-kit'
import type { FullResult, TestError } from '@playwright/test/reporter'
import { measureAttempt, type NoteReader } from './attempt-notes'
import type { FileSuite } from './file-suites'
import { mapError } from './map-error'
import { mapEvents } from './map-events'
import { mapTest, wasInterrupted, type TestContext } from './map-test'

export interface SuiteContext extends TestContext {
  /** Output while no test ran. */
  output: OutputEntry[]
  /** Absent before the execution's end, when no suite can be interrupted. */
  end?: { status: FullResult['status']; announcements: readonly TestError[] } | undefined
}

/** Undefined if none of its tests has started. */
export function mapSuite(fileSuite: FileSuite, { output, end, ...context }: SuiteContext): Suite | undefined {
  const { readNote, rootDir } = context
  if (fileSuite.tests.every((test) => test.results.length === 0)) return undefined
  const tests = fileSuite.tests.map((test) => mapTest(test, context))
  const isInterrupted = fileSuite.tests.some((test) => wasInterrupted(test, readNote))
  const problems = isInterrupted ? mapInterruption(end, rootDir) : []
  const { startedAtMs, endedAtMs } = findSpan(fileSuite, readNote)
  const events = fileSuite.tests.flatMap(({ results }) =>
    results.slice(-1).flatMap((last) => mapEvents(last).ofSuite),
  )
  return {
    project: fileSuite.project,
    file: fileSuite.file,
    startedAtMs,
    durationMs: endedAtMs - startedAtMs,
    outcome: problems.length > 0 || tests.some((test) => test.outcome === 'failed') ? 'failed' : 'passed',
    tests: tests.map((test) => (test.attempts.length > 0 ? test : { ...test, startedAtMs })),
    problems,
    output,
    attachments: [],
    ...(events.length > 0 && { events }),
  }
}

/** Playwright's verdict about a file whose results could not be mapped. */
export function describeFile(
  { project, file, tests }: FileSuite,
  { nowMs, end, readNote }: { nowMs: number } & Pick<SuiteContext, 'end' | 'readNote'>,
): SuiteFacts {
  const wasStopped = end !== undefined && end.status !== 'passed'
  const hasFailed = tests.some(
    (test) => test.outcome() === 'unexpected' || (wasStopped && wasInterrupted(test, readNote)),
  )
  const outcome = hasFailed ? 'failed' : 'passed'
  return { project, file, startedAtMs: nowMs, durationMs: 0, outcome }
}

export function mapLoadFailure(file: string, errors: ErrorDetail[], atMs: number): Suite {
  return {
    project: '',
    file,
    startedAtMs: atMs,
    durationMs: 0,
    outcome: 'failed',
    tests: [],
    problems: [{ name: 'Suite failed to load', errors, atMs }],
    output: [],
    attachments: [],
  }
}

const INTERRUPTIONS: Record<Exclude<FullResult['status'], 'passed'>, string> = {
  failed: 'The execution was stopped before every test of this file had run.',
  timedout: 'The execution ran out of time (globalTimeout) before every test of this file had run.',
  interrupted: 'The execution was interrupted before every test of this file had run.',
}

/** None while the execution runs, and none if it passed. */
function mapInterruption(end: SuiteContext['end'], rootDir: string): Problem[] {
  if (end === undefined || end.status === 'passed') return []
  const errors = [
    { message: INTERRUPTIONS[end.status] },
    ...end.announcements.map((error) => mapError(error, rootDir)),
  ]
  return [{ name: 'Interrupted', errors }]
}

function findSpan({ tests }: FileSuite, readNote: NoteReader): { startedAtMs: number; endedAtMs: number } {
  const spans = tests.flatMap((test) =>
    test.results.map((result) => {
      const { startedAtMs, durationMs } = measureAttempt(result, readNote(result))
      return { startedAtMs, endedAtMs: startedAtMs + durationMs }
    }),
  )
  return {
    startedAtMs: spans.map((span) => span.startedAtMs).reduce((a, b) => Math.min(a, b)),
    endedAtMs: spans.map((span) => span.endedAtMs).reduce((a, b) => Math.max(a, b)),
  }
}
