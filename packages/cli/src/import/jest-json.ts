import type { ErrorDetail, Problem } from '@runledger/core'
import * as z from 'zod'
import { parseShape, type ReadContext, type Results } from './results'
import { completeSuite, relateFile, type SuiteDraft, type TestDraft } from './suite-draft'
import { toAtMs, toDurationMs } from './times'

const AssertionSchema = z.object({
  ancestorTitles: z.array(z.string()).nullish(),
  title: z.string(),
  status: z.string(),
  duration: z.number().nullish(),
  startAt: z.number().nullish(),
  failureMessages: z.array(z.string()).nullish(),
  invocations: z.number().nullish(),
  retryReasons: z.array(z.string()).nullish(),
  location: z.object({ line: z.number(), column: z.number() }).nullish(),
  tags: z.array(z.string()).nullish(),
})
const SuiteSchema = z.object({
  name: z.string(),
  status: z.string().nullish(),
  message: z.string().nullish(),
  startTime: z.number().nullish(),
  endTime: z.number().nullish(),
  assertionResults: z.array(AssertionSchema),
})
const ReportSchema = z.object({
  success: z.boolean().nullish(),
  startTime: z.number().nullish(),
  numRuntimeErrorTestSuites: z.number().nullish(),
  testResults: z.array(SuiteSchema),
})

type JestAssertion = z.output<typeof AssertionSchema>
type JestSuite = z.output<typeof SuiteSchema>
type JestReport = z.output<typeof ReportSchema>

/** Reads what `jest --json` and Vitest's json reporter write. @throws ResultFileError */
export function readJestJson(json: object, context: ReadContext): Results {
  const report = parseShape(ReportSchema, json)
  // Jest alone counts suites that could not be loaded.
  const framework = typeof report.numRuntimeErrorTestSuites === 'number' ? 'jest' : 'vitest'
  const drafts = report.testResults.map((suite) => mapSuite(suite, context))
  addUnexplained(drafts, report, context)
  return { framework, suites: drafts.map((draft) => completeSuite(draft, context)) }
}

/** The whole may fail through what belongs to no file: a global hook, an unhandled error, a coverage threshold. */
function addUnexplained(
  drafts: SuiteDraft[],
  { success, startTime }: JestReport,
  { fileName }: ReadContext,
): void {
  if (success !== false || drafts.some(isFailed)) return
  const message = 'the report says that the execution failed, and names no test or file that did'
  const problems: Problem[] = [{ name: 'Execution failed', errors: [{ message }] }]
  drafts.push({ file: fileName, startedAtMs: toAtMs(startTime), tests: [], problems })
}

function isFailed({ isFailed: isSuiteFailed, tests }: SuiteDraft): boolean {
  return isSuiteFailed === true || tests.some(({ outcome }) => outcome === 'failed')
}

function mapSuite(suite: JestSuite, { projectRoot }: ReadContext): SuiteDraft {
  const { name, status, message, startTime, endTime, assertionResults } = suite
  const file = relateFile(name, projectRoot)
  const startedAtMs = toAtMs(startTime)
  const endedAtMs = toAtMs(endTime)
  const tests = assertionResults.map((assertion) => mapAssertion(assertion, file))
  const hasFailed = status === 'failed'
  const isExplained = !hasFailed || tests.some(({ outcome }) => outcome === 'failed')
  const problem: Problem = { name: 'Suite failed', errors: message ? [mapMessage(message)] : [] }
  return {
    file,
    startedAtMs,
    durationMs:
      startedAtMs !== undefined && endedAtMs !== undefined
        ? toDurationMs(endedAtMs - startedAtMs)
        : undefined,
    isFailed: hasFailed,
    tests,
    problems: isExplained ? [] : [problem],
  }
}

const OUTCOMES = new Map<string, TestDraft['outcome']>([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['skipped', 'skipped'],
  ['pending', 'skipped'],
  ['disabled', 'skipped'],
  ['todo', 'todo'],
])

function mapAssertion(assertion: JestAssertion, file: string): TestDraft {
  const { ancestorTitles, title, status, duration, startAt, location, tags } = assertion
  const outcome = OUTCOMES.get(status) ?? 'not-run'
  const attempts = outcome === 'passed' || outcome === 'failed' ? mapAttempts(assertion) : []
  return {
    titles: [...(ancestorTitles ?? []), title].filter((each) => each !== ''),
    outcome,
    flaky: outcome === 'passed' && attempts.length > 1,
    startedAtMs: toAtMs(startAt),
    durationMs: toDurationMs(duration),
    attempts,
    location: location ? { file, ...location } : undefined,
    tags: tags?.length ? tags : undefined,
    note: outcome === 'not-run' ? `status ${status}` : undefined,
  }
}

/** Jest tells the errors of the last attempt and the reasons of retries; Vitest those of all attempts in one list. */
function mapAttempts({
  status,
  failureMessages,
  retryReasons,
  invocations,
}: JestAssertion): TestDraft['attempts'] {
  const create = (each: string, errors: ErrorDetail[]) => ({
    status: each,
    errors,
    attachments: [],
    output: [],
  })
  const errors = (failureMessages ?? []).map(mapMessage)
  const reasons = (retryReasons ?? []).map(mapMessage)
  if (status === 'passed' && reasons.length === 0 && errors.length > 0)
    return [...errors.map((error) => create('failed', [error])), create('passed', [])]
  const retries = Math.max(reasons.length, Math.min(invocations ?? 1, MAX_ATTEMPTS) - 1)
  const earlier = Array.from({ length: retries }, (_, index) =>
    create('failed', reasons.slice(index, index + 1)),
  )
  return [...earlier, create(status, status === 'failed' ? errors : [])]
}

/** Of attempts that the file only counts. */
const MAX_ATTEMPTS = 20

/** The message is what stands before the stack. */
function mapMessage(text: string): ErrorDetail {
  const frames = text.search(/\n\s+at /)
  const message = (frames === -1 ? text : text.slice(0, frames)).trim()
  return { message: message || 'no message', stack: frames === -1 ? undefined : text }
}
