import type { AttachmentList } from '../attachment-list'
import { checkShape } from '../check-shape'
import type { Notes } from '../notes'
import { type FilePath, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { type Limits, readComparison, readTextComparison } from '../unit/limits'
import { readStepOutcome, readValueOutcome } from '../unit/outcomes'
import type { Step, StepValue } from '../unit/report'
import { listProperties } from './additional-results'
import { listCurves } from './curves'
import { listUnread } from './unread'
import { StepSchema, type WatsStep } from './wsjf-schema'

const MAX_DEPTH = 100

export interface StepContext {
  times: TimeReader
  files: AttachmentList
  notes: Notes
  /** Names of members that were not read. */
  unread: Set<string>
  depth: number
}

/** A step of WATS with those in it. @throws ReadError */
export function mapStep(sent: unknown, at: FilePath, context: StepContext): Step {
  if (context.depth > MAX_DEPTH)
    throw new ReadError([{ path: at, message: `is nested over ${MAX_DEPTH} deep` }])
  const step = checkShape(StepSchema, sent, at)
  for (const name of listUnread(sent, step)) context.unread.add(name)
  addAttachments(step, [...at, 'attachment'], context)
  const { name } = step
  const outcome = readStepOutcome(step.status, [...at, 'status'])
  const inner = { ...context, depth: context.depth + 1 }
  return {
    name: isLoopSummary(step) ? `${name} (loop)` : name,
    outcome,
    startedAtUs: readStart(step.start, [...at, 'start'], context.times),
    durationUs: step.totTime === undefined || !(step.totTime >= 0) ? undefined : step.totTime * 1e6,
    values: [...listValues(step, outcome), ...listCurves(step, at, context.notes)],
    steps: step.steps.map((one, index) => mapStep(one, [...at, 'steps', index], inner)),
    errors: listErrors(step.errorCode, step.errorMessage),
    texts: [...listRemarks(step, context.depth === 0), ...listResults(step, at)],
  }
}

function addAttachments({ name, attachment }: WatsStep, at: FilePath, { files, notes }: StepContext): void {
  for (const { name: fileName, contentType, data = '' } of attachment) {
    const base64 = data.replaceAll(/\s/g, '')
    if (base64 === '') notes.add([...at, fileName], 'has no content in the report, and was left out')
    else files.add({ stepName: name, fileName, contentType, data: base64 }, at)
  }
}

/** The summary of a step's repetitions has the values of the last, which follows as a step of its own. */
function isLoopSummary({ loop }: WatsStep): boolean {
  return loop?.num !== undefined && loop.idx === undefined && loop.num > 0
}

export function readStart(text: string | undefined, at: FilePath, times: TimeReader): number | undefined {
  if (text === undefined || text.trim() === '') return undefined
  const us = times.readUs(text)
  if (us !== undefined) return us
  throw new ReadError([
    { path: at, message: `is "${text}": it must be a time such as 2026-01-30T22:01:41+01:00` },
  ])
}

export function listErrors(code: string | undefined, message: string | undefined): string[] {
  const isCode = code !== undefined && code.trim() !== '' && code !== '0'
  const parts = [isCode ? `Error ${code}` : '', message?.trim() ?? ''].filter(Boolean)
  return parts.length === 0 ? [] : [parts.join(': ')]
}

interface SentValue {
  name: string | undefined
  status: string | undefined
  measured: number | string | undefined
  units?: string | undefined
  limits: Limits
}

function listValues(step: WatsStep, outcome: Step['outcome']): StepValue[] {
  const { numericMeas, stringMeas, booleanMeas } = step
  const sent: SentValue[] = [
    ...numericMeas.map(({ value, unit, compOp, lowLimit, highLimit, ...one }) => {
      return { ...one, measured: value, units: unit, limits: readComparison(compOp, lowLimit, highLimit) }
    }),
    ...stringMeas.map(({ value, compOp, limit, ...one }) => {
      return { ...one, measured: value, limits: readTextComparison(compOp, limit) }
    }),
  ]
  const isOnly = sent.length + booleanMeas.length === 1
  const judge = (status: string | undefined, isChecked: boolean) => {
    const said = readValueOutcome(status)
    // Some reports say Passed for the only value of a step that failed, and WATS shows the step's verdict.
    return isOnly && isChecked && outcome === 'FAIL' && said === 'PASS' ? 'FAIL' : said
  }
  // WATS ignores the values of what was skipped.
  const isSkipped = (status: string | undefined) =>
    outcome === 'SKIP' || /^\s*s(?:kipped)?\s*$/i.test(status ?? '')
  return [
    ...sent.map(({ name, status, measured, units, limits }) => ({
      name: name?.trim() || step.name,
      outcome: isSkipped(status) ? ('UNSET' as const) : judge(status, Object.keys(limits).length > 0),
      ...(measured !== undefined && !isSkipped(status) && { measured_value: measured }),
      ...(units?.trim() && { units: units.trim() }),
      ...limits,
    })),
    ...booleanMeas.map(({ name, status }) => {
      const verdict = isSkipped(status) ? 'UNSET' : judge(status, true)
      const isJudged = verdict === 'PASS' || verdict === 'FAIL'
      return {
        name: name?.trim() || step.name,
        outcome: verdict,
        ...(isJudged && { measured_value: verdict === 'PASS' }),
      }
    }),
  ]
}

const GROUPS: Readonly<Record<string, string>> = { s: 'Setup', c: 'Cleanup' }

/** What else a step says; the root's sequence is that of the run. */
function listRemarks(step: WatsStep, isRoot: boolean): string[] {
  const { reportText, messagePopup, callExe, loop, seqCall, group, interactiveExeNum: execution } = step
  const { response, button } = messagePopup ?? {}
  const sequence = isRoot
    ? []
    : [seqCall?.name, seqCall?.path, seqCall?.version].filter((text) => text?.trim())
  const named = GROUPS[group?.trim().charAt(0).toLowerCase() ?? '']
  const counts = loop && {
    repetitions: loop.num,
    passed: loop.passed,
    failed: loop.failed,
    'last index': loop.endingIndex,
  }
  const loops = Object.entries(counts ?? {}).flatMap(([name, count]) =>
    count === undefined ? [] : `${name} ${count}`,
  )
  return [
    reportText ?? '',
    messagePopup ? [button && `Button ${button}`, response].filter(Boolean).join(': ') : '',
    callExe?.exitCode === undefined ? '' : `Exit code ${callExe.exitCode}`,
    loops.length === 0 ? '' : `Loop: ${loops.join(', ')}`,
    sequence.length === 0 ? '' : `Sequence: ${sequence.join(', ')}`,
    named === undefined ? '' : `Group: ${named}`,
    execution === undefined || execution === '0' ? '' : `Interactive execution ${execution}`,
    step.causedUUTFailure ? 'Caused the failure of the unit' : '',
    step.causedSeqFailure ? 'Caused the failure of its sequence' : '',
  ].filter((text) => text.trim() !== '')
}

function listResults({ additionalResults }: WatsStep, at: FilePath): string[] {
  return additionalResults.map((one, index) =>
    listProperties(one, [...at, 'additionalResults', index]).join('\n'),
  )
}
