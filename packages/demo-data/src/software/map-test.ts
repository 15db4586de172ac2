import { formatDurationMs, formatTimestampMs } from '@runledger/protocol'
import type { RunRequest } from '../build'
import type { SuiteSpec } from '../catalogue/project'
import type { Failure } from '../catalogue/test-place'
import type { Decision } from './decide-failure'
import type { NamedTest } from './name-tests'

type Step = NonNullable<RunRequest['steps']>[number]
type TestError = NonNullable<Step['error']>

export interface ExecutedTest {
  test: NamedTest
  decision: Decision | undefined
  startedAtMs: number
  /** The durations of its attempts, in order. */
  durationsMs: readonly number[]
}

export interface TestContext {
  suite: SuiteSpec
  file: string
}

export const BETWEEN_ATTEMPTS_MS = 250
const CODE_COLUMN = 5

/** How the test ended, which its last attempt decides. */
export function isPassed({ decision, durationsMs }: ExecutedTest): boolean {
  return (decision?.failedAttempts ?? 0) < durationsMs.length
}

export function isFlaky(executed: ExecutedTest): boolean {
  return executed.decision !== undefined && isPassed(executed)
}

export function sumDurations({ durationsMs }: Pick<ExecutedTest, 'durationsMs'>): number {
  return durationsMs.reduce((sum, each) => sum + each, 0)
}

/** The step of a test, as a reporter sends it. */
export function mapTest(executed: ExecutedTest, { suite, file }: TestContext): Step {
  const { test, decision, startedAtMs } = executed
  const { line, tags } = test.spec
  const passed = isPassed(executed)
  const error = decision && mapError(decision.failure, { file, line })
  return {
    name: test.name,
    step_passed: passed,
    started_at: formatTimestampMs(startedAtMs),
    duration: formatDurationMs(sumDurations(executed)),
    kind: 'test',
    location: { file, line, column: 3 },
    owner: suite.owner,
    ...(tags.length > 0 && { tags: [...tags] }),
    ...(error && !passed && { error }),
    ...(executed.durationsMs.length > 1 && { attempts: mapAttempts(executed, error) }),
  }
}

function mapAttempts(executed: ExecutedTest, error: TestError | undefined): Step['attempts'] {
  const { durationsMs, decision } = executed
  let startedAtMs = executed.startedAtMs
  return durationsMs.map((durationMs, index) => {
    const hasFailed = index < (decision?.failedAttempts ?? 0)
    const attempt = {
      outcome: hasFailed ? ('FAIL' as const) : ('PASS' as const),
      started_at: formatTimestampMs(startedAtMs),
      duration: formatDurationMs(durationMs),
      // The step itself has the facts of the last attempt.
      ...(hasFailed && error && index < durationsMs.length - 1 && { errors: [error] }),
    }
    startedAtMs += durationMs + BETWEEN_ATTEMPTS_MS
    return attempt
  })
}

export function mapError(failure: Failure, test: { file: string; line: number }): TestError {
  const { message, expected, actual, code } = failure
  const own = { file: test.file, line: test.line + 6, column: CODE_COLUMN }
  const place = failure.file === undefined ? own : { file: failure.file, line: 31, column: 12 }
  const frames = failure.file === undefined ? [own] : [place, own]
  return {
    message,
    stack: frames.map(({ file, line, column }) => `    at ${file}:${line}:${column}`).join('\n'),
    location: place,
    ...(expected !== undefined && { expected, actual: actual ?? '' }),
    snippet: formatSnippet(code, place),
  }
}

/** The failing line with its number and a marker below, as frameworks print it. */
function formatSnippet(code: string, { line, column }: { line: number; column: number }): string {
  const margin = ' '.repeat(String(line).length + 2)
  return `> ${line} |${' '.repeat(column)}${code}\n${margin} |${' '.repeat(column)}^`
}
