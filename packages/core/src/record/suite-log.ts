import { formatDurationMs, formatTimestampMs } from '@runledger/protocol'
import type { Inspections } from './inspect-attachments'
import type { ExecutionFacts } from '../execution'
import type { Attachment, Attempt, ErrorDetail, OutputEntry, Problem, Suite, SuiteTest } from '../model/suite'
import type { TestCounts } from './count-tests'
import { addSaid } from './format-said'
import { LogWriter, type Lines } from './log-writer'
import { TOGETHER } from './text-writer'
import { describeRefused } from './said'
import type { Surveys } from './survey'

/** Such lines lose their end, or all of their margin. */
const ENDS_BLANK = /(?:^|\s)$/

const BEGINNINGS = {
  passed: '✓ passed  ',
  failed: '✗ failed  ',
  skipped: '- skipped  ',
  todo: '- todo  ',
  'not-run': '- did not run  ',
} as const

/**
 * The log of a run's suites, an empty line between them: a head, every test with its outcome, every failure with its message, stack and attempts, and
 * the console output of each. UTF-8, no ANSI codes.
 */
export function formatLog(suites: readonly Suite[], context: LogContext): Uint8Array {
  const lines = new LogWriter()
  suites.forEach((suite, index) => {
    if (index > 0) lines.push('')
    for (const line of formatHead(suite, context, index)) lines.push(line)
    addSuite(lines, suite, context)
  })
  return lines.finish()
}

export interface LogContext {
  facts: ExecutionFacts
  inspections: Inspections
  surveys: Surveys
  /** Of each suite. */
  counts: readonly TestCounts[]
  /** False where nothing was said in any of the suites. */
  hasSaid: boolean
}

function addSuite(lines: Lines, suite: Suite, { inspections, surveys }: LogContext): void {
  const { names, special } = surveys.of(suite)
  let specialIndex = 0
  // What is between two special tests is put together, but not too much of it.
  let plain = ''
  suite.tests.forEach((test, index) => {
    const name = names[index] as string
    if (test !== special[specialIndex]) {
      plain += `${BEGINNINGS.passed}${name} (${Math.round(test.durationMs)} ms)\n`
      if (plain.length < TOGETHER) return
    }
    lines.write(plain)
    plain = ''
    if (test !== special[specialIndex]) return
    specialIndex += 1
    addTest(lines, { test, name }, inspections)
  })
  lines.write(plain)
  for (const problem of suite.problems) addProblem(lines, problem)
  addRefusals(lines, suite.attachments, { inspections, margin: '' })
  addSaid(lines, suite.said, '')
  addOutput(lines, suite.output, '')
}

/** The log as long as it may be, in bytes of UTF-8: its beginning, which has the outcomes, and a line that says so. */
export function cutLog(bytes: Uint8Array, maxBytes: number): Uint8Array {
  if (bytes.byteLength <= maxBytes) return bytes
  const note = new TextEncoder().encode(`\n… the log is longer than maxAttachmentBytes (${maxBytes})\n`)
  let end = Math.max(0, maxBytes - note.byteLength)
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1
  return end === 0 ? new Uint8Array(0) : Buffer.concat([bytes.subarray(0, end), note])
}

function formatHead(suite: Suite, { facts, counts, hasSaid }: LogContext, index: number): string[] {
  const { passed, failed, skipped, flaky } = counts[index] as TestCounts
  const tests = `${passed} passed, ${failed} failed, ${skipped} not run, ${flaky} flaky`
  return [
    `suite      ${suite.file}`,
    ...(suite.project === '' ? [] : [`project    ${suite.project}`]),
    `framework  ${facts.framework} ${facts.frameworkVersion}`,
    `outcome    ${suite.outcome}`,
    `started    ${formatTimestampMs(suite.startedAtMs)}`,
    `duration   ${formatDurationMs(suite.durationMs)}`,
    `tests      ${tests}`,
    ...(suite.masked === undefined
      ? []
      : [`masked     ${suite.masked} secret${suite.masked === 1 ? '' : 's'}`]),
    ...(hasSaid ? describeRefused(suite) : []),
    '',
  ]
}

function addTest(
  lines: Lines,
  { test, name }: { test: SuiteTest; name: string },
  inspections: Inspections,
): void {
  const { attempts } = test
  lines.push(BEGINNINGS[test.outcome] + name + formatFacts(test))
  attempts.forEach((attempt, index) => {
    if (attempts.length > 1) lines.push(formatAttempt(attempt, index))
    addAttempt(lines, attempt, inspections)
  })
}

function addAttempt(lines: Lines, attempt: Attempt, inspections: Inspections): void {
  for (const error of attempt.errors) addError(lines, error)
  addRefusals(lines, attempt.attachments, { inspections, margin: '    ' })
  addSaid(lines, attempt.said, '    ')
  addOutput(lines, attempt.output, '    ')
}

function formatFacts({ attempts, durationMs, flaky, note }: SuiteTest): string {
  const duration = attempts.length > 0 ? `${Math.round(durationMs)} ms` : undefined
  if (attempts.length < 2 && !flaky && !note) return duration === undefined ? '' : ` (${duration})`
  const count = attempts.length > 1 ? `${attempts.length} attempts` : undefined
  return ` (${[duration, count, flaky ? 'flaky' : undefined, note].filter(Boolean).join(', ')})`
}

function formatAttempt({ status, durationMs }: Attempt, index: number): string {
  const duration = durationMs === undefined ? '' : ` (${Math.round(durationMs)} ms)`
  return `    attempt ${index + 1}: ${status}${duration}`
}

function addProblem(lines: Lines, problem: Problem): void {
  lines.push(`✗ failed  ${problem.name}`)
  for (const error of problem.errors) addError(lines, error)
}

function addError(lines: Lines, { message, stack }: ErrorDetail): void {
  const rest = stack?.startsWith(message) ? stack.slice(message.length) : (stack ?? '')
  const parts = [message, rest.replace(/^\n+/, '')].filter((part) => part.trim() !== '')
  // An error that says nothing has a line all the same.
  for (const part of parts.length === 0 ? [''] : parts) addIndented(lines, part, '      ')
}

function addRefusals(
  lines: Lines,
  attachments: readonly Attachment[],
  { inspections, margin }: { inspections: Inspections; margin: string },
): void {
  if (inspections.size === 0) return
  for (const attachment of attachments) {
    const inspection = inspections.get(attachment)
    if (inspection !== undefined && 'refusal' in inspection)
      lines.push(`${margin}not attached: ${attachment.name}: ${inspection.refusal}`)
  }
}

function addOutput(lines: Lines, output: readonly OutputEntry[], margin: string): void {
  for (const { stream, text, atMs, origin } of output) {
    const time = atMs === undefined ? '' : ` ${formatTimestampMs(atMs)}`
    const place = origin === undefined ? '' : ` ${origin}`
    lines.push(`${margin}${stream}${time}${place}`)
    addIndented(lines, text.replace(/\n$/, ''), `${margin}  | `)
  }
}

function addIndented(lines: Lines, text: string, margin: string): void {
  for (const line of text.split('\n')) {
    // The `\r` of a line's end, too.
    if (ENDS_BLANK.test(line)) lines.push((margin + line).trimEnd())
    else lines.push(margin + line)
  }
}
