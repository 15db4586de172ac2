import type { AttachmentList } from '../attachment-list'
import { checkShape } from '../check-shape'
import type { FilePath } from '../read-error'
import { ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { readComparison, readTextComparison } from '../unit/limits'
import { readStepOutcome, readValueOutcome } from '../unit/outcomes'
import type { Step, StepValue } from '../unit/report'
import { type Chart, StepSchema, type WatsStep } from './wsjf-schema'

const MAX_DEPTH = 100

export interface StepContext {
  times: TimeReader
  files: AttachmentList
  depth: number
}

/** A step of WATS with those in it. @throws ReadError */
export function mapStep(sent: unknown, at: FilePath, context: StepContext): Step {
  if (context.depth > MAX_DEPTH)
    throw new ReadError([{ path: at, message: `is nested over ${MAX_DEPTH} deep` }])
  const step = checkShape(StepSchema, sent, at)
  const { name, attachment } = step
  if (attachment)
    context.files.add(
      {
        stepName: name,
        fileName: attachment.name,
        contentType: attachment.contentType,
        data: attachment.data,
      },
      [...at, 'attachment'],
    )
  const inner = { ...context, depth: context.depth + 1 }
  const steps = step.steps.map((one, index) => mapStep(one, [...at, 'steps', index], inner))
  return {
    name: isLoopSummary(step) ? `${name} (loop)` : name,
    outcome: readStepOutcome(step.status, [...at, 'status']),
    startedAtUs: readStart(step.start, [...at, 'start'], context.times),
    durationUs: step.totTime === undefined || !(step.totTime >= 0) ? undefined : step.totTime * 1e6,
    values: [...listNumbers(step), ...listTexts(step), ...listBooleans(step), ...listCurves(step)],
    steps,
    errors: listErrors(step.errorCode, step.errorMessage),
    texts: listRemarks(step),
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

function listNumbers({ name, numericMeas }: WatsStep): StepValue[] {
  return numericMeas.map((one) => ({
    name: one.name?.trim() || name,
    outcome: readValueOutcome(one.status),
    ...(one.value !== undefined && { measured_value: one.value }),
    ...(one.unit?.trim() && { units: one.unit.trim() }),
    ...readComparison(one.compOp, one.lowLimit, one.highLimit),
  }))
}

function listTexts({ name, stringMeas }: WatsStep): StepValue[] {
  return stringMeas.map((one) => ({
    name: one.name?.trim() || name,
    outcome: readValueOutcome(one.status),
    ...(one.value !== undefined && { measured_value: one.value }),
    ...readTextComparison(one.compOp, one.limit),
  }))
}

function listBooleans({ name, booleanMeas }: WatsStep): StepValue[] {
  return booleanMeas.map((one) => {
    const outcome = readValueOutcome(one.status)
    return {
      name: one.name?.trim() || name,
      outcome,
      ...(outcome !== undefined && { measured_value: outcome === 'PASS' }),
    }
  })
}

/** The curves of a chart, each a measurement with its axes. */
function listCurves({ name, chart }: WatsStep): StepValue[] {
  return (chart?.series ?? []).map(({ name: curve, xdata, ydata }, index) => ({
    name: [chart?.label?.trim() || name, curve?.trim() || String(index + 1)].join(' › '),
    outcome: undefined,
    x_axis: { data: readNumbers(xdata), ...nameAxis(chart?.xLabel, chart?.xUnit) },
    y_axis: [{ data: readNumbers(ydata), ...nameAxis(chart?.yLabel, chart?.yUnit) }],
  }))
}

function nameAxis(name: Chart['xLabel'], units: Chart['xUnit']) {
  return { ...(name?.trim() && { name: name.trim() }), ...(units?.trim() && { units: units.trim() }) }
}

function readNumbers(text = ''): number[] {
  return text
    .split(';')
    .filter((part) => part.trim() !== '')
    .map(Number)
    .filter((value) => Number.isFinite(value))
}

function listRemarks({ reportText, messagePopup, callExe }: WatsStep): string[] {
  const { response, button } = messagePopup ?? {}
  return [
    reportText ?? '',
    messagePopup ? [button && `Button ${button}`, response].filter(Boolean).join(': ') : '',
    callExe?.exitCode === undefined ? '' : `Exit code ${callExe.exitCode}`,
  ].filter((text) => text.trim() !== '')
}
