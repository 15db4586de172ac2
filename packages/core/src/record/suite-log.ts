import { StringDecoder } from 'node:string_decoder'
import { formatDurationMs, formatTestCounts, formatTimestampMs } from '@runledger/protocol'
import { stripEscapes } from '@runledger/redact'
import type { ErrorDetail } from '../model/error-detail'
import {
  type Attachment,
  type Attempt,
  type ExecutionFacts,
  nameFramework,
  type OutputEntry,
  type Problem,
  type Suite,
  type SuiteTest,
} from '../model/suite'
import { toPlainLine } from '../util/text'
import { formatStepName } from './step-name'
import type { Inspections } from './plan-attachments'
import { countTestsOfSuites } from './suite-counts'
import { describeIgnoredEvents, formatTestApiEvents } from './map-test-api-events'

const OUTCOMES = {
  passed: '✓ passed',
  failed: '✗ failed',
  skipped: '- skipped',
  todo: '- todo',
  'not-run': '- did not run',
} as const

export interface LogContext {
  facts: ExecutionFacts
  inspections: Inspections
}

/** A head, every test with its outcome, failures with message, stack and attempts, and console output. No escape sequences. */
export function formatLog(suites: readonly Suite[], context: LogContext): string {
  const texts = suites.map((suite) => `${formatSuite(suite, context).join('\n')}\n`)
  return stripEscapes(texts.join('\n')).toWellFormed()
}

/** False if every test passed without output. With several projects in a run, the log says which suite belongs to which. */
export function saysMoreThanSteps(suites: readonly Suite[], { inspections }: LogContext): boolean {
  const isRefused = (attachment: Attachment): boolean => {
    const inspection = inspections.get(attachment)
    return inspection !== undefined && 'refusal' in inspection
  }
  const hasMore = ({ errors = [], attachments, events = [], output }: Partial<Attempt> & Holder): boolean =>
    errors.length > 0 ||
    output.length > 0 ||
    attachments.some(isRefused) ||
    events.some(({ kind }) => kind !== 'measurement' && kind !== 'step')
  const projects = new Set(suites.map(({ project }) => project))
  return (
    projects.size > 1 ||
    suites.some(
      (suite) =>
        suite.problems.length > 0 ||
        suite.masked !== undefined ||
        hasMore(suite) ||
        suite.tests.some(
          ({ outcome, note, flaky, attempts }) =>
            outcome !== 'passed' ||
            note !== undefined ||
            flaky ||
            attempts.length > 1 ||
            attempts.some(hasMore),
        ),
    )
  )
}

type Holder = Pick<Suite, 'attachments' | 'output'>

/** Keeps the beginning, which has the outcomes, and adds a line that says so. */
export function cutLog(log: string, maxBytes: number): string {
  const bytes = Buffer.from(log)
  if (bytes.byteLength <= maxBytes) return log
  const note = `\n… the log is longer than maxAttachmentBytes (${maxBytes})\n`
  const end = Math.max(0, maxBytes - Buffer.byteLength(note))
  // A decoder keeps back a divided character.
  const beginning = new StringDecoder('utf8').write(bytes.subarray(0, end))
  return beginning === '' ? '' : beginning + note
}

function formatSuite(suite: Suite, { facts, inspections }: LogContext): string[] {
  return [
    ...formatHead(suite, facts),
    ...suite.tests.flatMap((test) => formatTest(test, inspections)),
    ...suite.problems.flatMap(formatProblem),
    ...formatRefusals(suite.attachments, inspections, ''),
    ...formatTestApiEvents(suite.events, ''),
    ...formatOutput(suite.output, ''),
  ]
}

function formatHead(suite: Suite, facts: ExecutionFacts): string[] {
  const { masked } = suite
  return [
    `suite      ${suite.file}`,
    ...(suite.project === '' ? [] : [`project    ${suite.project}`]),
    `framework  ${nameFramework(facts)}`,
    `outcome    ${suite.outcome}`,
    `started    ${formatTimestampMs(suite.startedAtMs)}`,
    `duration   ${formatDurationMs(suite.durationMs)}`,
    `tests      ${formatTestCounts(countTestsOfSuites([suite]))}`,
    ...(masked === undefined ? [] : [`masked     ${masked} secret${masked === 1 ? '' : 's'}`]),
    ...describeIgnoredEvents(suite),
    '',
  ]
}

function formatTest(test: SuiteTest, inspections: Inspections): string[] {
  const { titles, outcome, attempts } = test
  return [
    `${OUTCOMES[outcome]}  ${formatStepName(titles)}${formatFacts(test)}`,
    ...attempts.flatMap((attempt, index) => [
      ...(attempts.length > 1 ? [formatAttemptHead(attempt, index)] : []),
      ...formatAttempt(attempt, inspections),
    ]),
  ]
}

function formatFacts({ attempts, durationMs, flaky, note }: SuiteTest): string {
  const facts = [
    attempts.length > 0 ? `${Math.round(durationMs)} ms` : undefined,
    attempts.length > 1 ? `${attempts.length} attempts` : undefined,
    flaky ? 'flaky' : undefined,
    // A second line would look like one of the log's own.
    note && toPlainLine(note),
  ].filter(Boolean)
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`
}

function formatAttemptHead({ status, durationMs }: Attempt, index: number): string {
  const duration = durationMs === undefined ? '' : ` (${Math.round(durationMs)} ms)`
  return `    attempt ${index + 1}: ${status}${duration}`
}

function formatAttempt({ errors, attachments, events, output }: Attempt, inspections: Inspections): string[] {
  return [
    ...errors.flatMap(formatError),
    ...formatRefusals(attachments, inspections, '    '),
    ...formatTestApiEvents(events, '    '),
    ...formatOutput(output, '    '),
  ]
}

function formatProblem({ name, errors }: Problem): string[] {
  return [`${OUTCOMES.failed}  ${name}`, ...errors.flatMap(formatError)]
}

function formatError({ message, diff = '', snippet = '', stack = '' }: ErrorDetail): string[] {
  const rest = stack.startsWith(message) ? stack.slice(message.length) : stack
  // The difference may be part of the message.
  const difference = stripEscapes(message).includes(diff) ? '' : diff
  const parts = [message, difference, snippet, rest.replace(/^\n+/, '')].filter((part) => part.trim() !== '')
  // An error without a message still has a line.
  return (parts.length === 0 ? [''] : parts).flatMap((part) => indent(part, '      '))
}

function formatRefusals(
  attachments: readonly Attachment[],
  inspections: Inspections,
  margin: string,
): string[] {
  return attachments.flatMap((attachment) => {
    const inspection = inspections.get(attachment)
    if (inspection === undefined || !('refusal' in inspection)) return []
    return [`${margin}not attached: ${attachment.name}: ${inspection.refusal}`]
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
  return text.split('\n').map((line) => (margin + line).trimEnd())
}
