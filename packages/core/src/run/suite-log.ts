import { stripVTControlCharacters } from 'node:util'
import { formatDurationMs, formatTimestampMs } from '@runledger/protocol'
import type { Inspections } from '../attachment/inspect-attachments'
import type { ExecutionFacts } from '../execution'
import type { Attachment, Attempt, ErrorDetail, OutputEntry, Problem, Suite, SuiteTest } from '../suite'
import { countTests } from './count-tests'
import { formatStepName } from './step-name'

const MARKS = { passed: '✓', failed: '✗', skipped: '-', todo: '-', 'not-run': '-' } as const
const WORDS = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  todo: 'todo',
  'not-run': 'did not run',
} as const

/**
 * The suite's log: a head, every test with its outcome, every failure with its message, stack and attempts, and
 * the console output. Plain text, no ANSI codes.
 */
export function formatSuiteLog(suite: Suite, facts: ExecutionFacts, inspections: Inspections): string {
  const lines = [
    ...formatHead(suite, facts),
    ...suite.tests.flatMap((test) => formatTest(test, inspections)),
    ...suite.problems.flatMap(formatProblem),
    ...formatRefusals(suite.attachments, inspections, ''),
    ...formatOutput(suite.output, ''),
  ]
  return `${stripVTControlCharacters(lines.join('\n')).toWellFormed()}\n`
}

/** The log as long as it may be, in bytes of UTF-8: its beginning, which has the outcomes, and a line that says so. */
export function cutLog(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.byteLength <= maxBytes) return bytes
  const note = new TextEncoder().encode(`\n… the log is longer than maxAttachmentBytes (${maxBytes})\n`)
  let end = Math.max(0, maxBytes - note.byteLength)
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return end === 0 ? new Uint8Array(0) : Buffer.concat([bytes.subarray(0, end), note])
}

function formatHead(suite: Suite, facts: ExecutionFacts): string[] {
  const counts = countTests([suite])
  const tests = `${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} not run, ${counts.flaky} flaky`
  return [
    `suite      ${suite.file}`,
    ...(suite.project === '' ? [] : [`project    ${suite.project}`]),
    `framework  ${facts.framework} ${facts.frameworkVersion}`,
    `outcome    ${suite.outcome}`,
    `started    ${formatTimestampMs(suite.startedAtMs)}`,
    `duration   ${formatDurationMs(suite.durationMs)}`,
    `tests      ${tests}`,
    '',
  ]
}

function formatTest(test: SuiteTest, inspections: Inspections): string[] {
  const hasRun = test.attempts.length > 0
  const facts = [
    ...(hasRun ? [`${Math.round(test.durationMs)} ms`] : []),
    ...(test.attempts.length > 1 ? [`${test.attempts.length} attempts`] : []),
    ...(test.flaky ? ['flaky'] : []),
    ...(test.note ? [test.note] : []),
  ]
  const head = `${MARKS[test.outcome]} ${WORDS[test.outcome]}  ${formatStepName(test.titles)}`
  return [
    facts.length > 0 ? `${head} (${facts.join(', ')})` : head,
    ...test.attempts.flatMap((attempt, index) =>
      formatAttempt(attempt, { index, count: test.attempts.length, inspections }),
    ),
  ]
}

interface AttemptContext {
  index: number
  count: number
  inspections: Inspections
}

function formatAttempt(attempt: Attempt, { index, count, inspections }: AttemptContext): string[] {
  const duration = attempt.durationMs === undefined ? '' : ` (${Math.round(attempt.durationMs)} ms)`
  return [
    ...(count > 1 ? [`    attempt ${index + 1}: ${attempt.status}${duration}`] : []),
    ...attempt.errors.flatMap((error) => formatError(error)),
    ...formatRefusals(attempt.attachments, inspections, '    '),
    ...formatOutput(attempt.output, '    '),
  ]
}

function formatProblem(problem: Problem): string[] {
  return [`✗ failed  ${problem.name}`, ...problem.errors.flatMap((error) => formatError(error))]
}

function formatError({ message, stack }: ErrorDetail): string[] {
  const rest = stack?.startsWith(message) ? stack.slice(message.length) : (stack ?? '')
  const text = [message, rest.replace(/^\n+/, '')].filter((part) => part.trim() !== '').join('\n')
  return indent(text, '      ')
}

function formatRefusals(
  attachments: readonly Attachment[],
  inspections: Inspections,
  margin: string,
): string[] {
  return attachments.flatMap((attachment) => {
    const inspection = inspections.get(attachment)
    const isRefused = inspection !== undefined && 'refusal' in inspection
    return isRefused ? [`${margin}not attached: ${attachment.name}: ${inspection.refusal}`] : []
  })
}

function formatOutput(output: readonly OutputEntry[], margin: string): string[] {
  return output.flatMap(({ stream, text, atMs, origin }) => {
    const time = atMs === undefined ? '' : ` ${formatTimestampMs(atMs)}`
    const place = origin === undefined ? '' : ` ${origin}`
    return [`${margin}${stream}${time}${place}`, ...indent(text.replace(/\n$/, ''), `${margin}  | `)]
  })
}

function indent(text: string, margin: string): string[] {
  return text.split(/\r?\n/).map((line) => `${margin}${line}`.trimEnd())
}
