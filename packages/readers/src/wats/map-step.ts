import type { AttachmentList } from '../attachment-list'
import { checkShape } from '../check-shape'
import type { Notes } from '../notes'
import { type FilePath, quote, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { isExplained } from '../unit/judge-values'
import { isWithin, type Limits, readComparison, readTextComparison } from '../unit/limits'
import { readStepOutcome, readValueOutcome } from '../unit/outcomes'
import type { Step, StepValue } from '../unit/report'
import { TextList } from '../unit/text-list'
import { addResults } from './additional-results'
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
  const steps = step.steps.map((one, index) => mapStep(one, [...at, 'steps', index], inner))
  const errors = listErrors(step.errorCode, step.errorMessage)
  const isSummary = isLoopSummary(step)
  const judge = new Judge(
    { name, outcome, isExplained: isExplained({ errors, steps, values: [], isSummary }) },
    context.notes,
  )
  return {
    name: isSummary ? `${name} (loop)` : name,
    outcome,
    isSummary,
    startedAtUs: readStart(step.start, [...at, 'start'], context.times),
    durationUs: step.totTime === undefined || !(step.totTime >= 0) ? undefined : step.totTime * 1e6,
    values: [...listValues(step, judge, at), ...listCurves(step, at, context.notes)],
    steps,
    errors,
    texts: [...listRemarks(step, context.depth === 0), ...listResults(step, at, context.notes)],
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
    { path: at, message: `is ${quote(text)}: it must be a time such as 2026-01-30T22:01:41+01:00` },
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
  at: FilePath
}

function listValues(step: WatsStep, judge: Judge, at: FilePath): StepValue[] {
  const { numericMeas, stringMeas, booleanMeas } = step
  const sent: SentValue[] = [
    ...numericMeas.map(({ value, unit, compOp, lowLimit, highLimit, ...one }, index) => {
      const limits = readComparison(compOp, lowLimit, highLimit)
      return { ...one, measured: value, units: unit, limits, at: [...at, 'numericMeas', index] }
    }),
    ...stringMeas.map(({ value, compOp, limit, ...one }, index) => {
      const limits = readTextComparison(compOp, limit)
      return { ...one, measured: value, limits, at: [...at, 'stringMeas', index] }
    }),
  ]
  const isOnly = sent.length + booleanMeas.length === 1
  return [
    ...sent.map(({ name, status, measured, units, limits, at: place }) => ({
      name: name?.trim() || step.name,
      outcome: isOnly
        ? judge.only(status, isWithin(measured, limits), [...place, 'status'])
        : judge.one(status),
      ...(measured !== undefined && !judge.skips(status) && { measured_value: measured }),
      ...(units?.trim() && { units: units.trim() }),
      ...limits,
    })),
    ...booleanMeas.map(({ name, status }, index) => {
      const verdict = judge.one(status)
      if (isOnly) judge.doubt(verdict, [...at, 'booleanMeas', index, 'status'])
      const isJudged = verdict === 'PASS' || verdict === 'FAIL'
      return {
        name: name?.trim() || step.name,
        outcome: verdict,
        ...(isJudged && { measured_value: verdict === 'PASS' }),
      }
    }),
  ]
}

/** Decides the verdicts of a step's values. */
class Judge {
  constructor(
    /** `isExplained`: whether something other than its values explains the failure. */
    private readonly step: Pick<Step, 'name' | 'outcome'> & { isExplained: boolean },
    private readonly notes: Notes,
  ) {}

  /** WATS ignores the values of skipped steps. */
  skips(status: string | undefined): boolean {
    if (/^\s*s(?:kipped)?\s*$/i.test(status ?? '')) return true
    return this.step.outcome === 'SKIP' && readValueOutcome(status) !== 'FAIL'
  }

  one(status: string | undefined): StepValue['outcome'] {
    return this.skips(status) ? 'UNSET' : readValueOutcome(status)
  }

  /** The verdict of a step's only value. Some reports say Passed although the value is outside its limits and the step failed. */
  only(status: string | undefined, isWithinLimits: boolean | undefined, at: FilePath): StepValue['outcome'] {
    const said = this.one(status)
    if (isWithinLimits !== false || !this.#isDoubtful(said)) return said
    this.#note(at, 'outside its limits in', 'which failed, and was stored as failed')
    return 'FAIL'
  }

  /** Only warns: a pass/fail value has no limits that could decide. */
  doubt(said: StepValue['outcome'], at: FilePath): void {
    if (this.#isDoubtful(said))
      this.#note(at, 'in', 'which failed for no other reason, and was stored as it is')
  }

  #note(at: FilePath, where: string, what: string): void {
    this.notes.add(at, `says passed ${where} step ${quote(this.step.name)}, ${what}`)
  }

  #isDoubtful(said: StepValue['outcome']): boolean {
    return said === 'PASS' && this.step.outcome === 'FAIL' && !this.step.isExplained
  }
}

const GROUPS: Readonly<Record<string, string>> = { s: 'Setup', c: 'Cleanup' }

/** Lists the other texts of a step. The root's sequence is left out, because it is that of the run. */
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

/** Lists additional results. Each becomes an entry of the log. */
function listResults({ name, additionalResults }: WatsStep, at: FilePath, notes: Notes): string[] {
  return additionalResults.map((one, index) => {
    const list = new TextList(true)
    addResults(one, list)
    const { texts, leftOut } = list
    const message = `of step ${quote(name)} has more values than an entry of the log takes, and ${leftOut} were left out`
    if (leftOut > 0) notes.add([...at, 'additionalResults', index], message)
    return texts.join('\n')
  })
}
