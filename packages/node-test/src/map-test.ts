import type { Attempt, SuiteTest, TestOutcome } from '@runledger/core'
import { hasRun, toOwnLocation } from '@runledger/reporter-kit'
import { mapError, readFailureType } from './map-error'
import { isMarked, type EventData } from './node-events'

export interface TestContext {
  parents: readonly string[]
  passed: boolean
  /** False for a test whose suite ended before its turn. */
  hasStarted: boolean
  startedAtMs: number
  rootDir: string
}

export function mapTest(data: EventData, context: TestContext): SuiteTest {
  const { name = '', file = '', line, column, tags = [], details = {} } = data
  const { parents, startedAtMs, rootDir } = context
  const { duration_ms: durationMs = 0 } = details
  const outcome = findOutcome(data, context)
  const location = file === '' ? undefined : toOwnLocation({ file, line, column }, rootDir)
  const note = describe(data, outcome)
  return {
    titles: [...parents, name],
    outcome,
    flaky: false,
    startedAtMs,
    durationMs,
    attempts: mapAttempts(data, context, outcome),
    annotations: [],
    ...(location && { location }),
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(note !== undefined && { note }),
    ...(!hasRun(outcome) && note !== undefined && { skipReason: note }),
  }
}

function findOutcome({ skip, todo, details }: EventData, { passed, hasStarted }: TestContext): TestOutcome {
  if (isMarked(skip)) return 'skipped'
  if (isMarked(todo)) return 'todo'
  if (passed) return 'passed'
  return readFailureType(details?.error) === 'cancelledByParent' && !hasStarted ? 'not-run' : 'failed'
}

/** One, as Node has no retries. A todo also runs, but its result does not count. */
function mapAttempts(
  { details = {} }: EventData,
  { passed, startedAtMs, rootDir }: TestContext,
  outcome: TestOutcome,
): Attempt[] {
  const { error, duration_ms: durationMs = 0 } = details
  if (outcome === 'not-run' || (passed && !hasRun(outcome))) return []
  const status = passed ? 'passed' : (readFailureType(error) ?? 'failed')
  const errors = passed ? [] : [mapError(error, rootDir)]
  return [
    { status, startedAtMs, durationMs, errors, attachments: [], output: [], ...KINDS_OF_FAILURE[status] },
  ]
}

const KINDS_OF_FAILURE: Record<string, Pick<Attempt, 'failsOutside' | 'failsByInner'>> = {
  hookFailed: { failsOutside: true },
  subtestsFailed: { failsByInner: true },
}

function describe({ skip, todo, details = {} }: EventData, outcome: TestOutcome): string | undefined {
  if (typeof skip === 'string' && skip !== '') return skip
  if (typeof todo === 'string' && todo !== '') return todo
  if (outcome === 'not-run') return 'its suite ended before it'
  const { attempt, passed_on_attempt: passedOn } = details
  if (passedOn === undefined || attempt === undefined || passedOn === attempt) return undefined
  return `not run again: it passed in execution ${passedOn + 1} of --test-rerun-failures`
}
