import { ReadError } from '../read-error'
import { type Limits, readComparison, readTextComparison } from '../unit/limits'
import { readStepOutcome, readValueOutcome } from '../unit/outcomes'
import type { Step, StepValue } from '../unit/report'
import type { XmlElement } from '../xml'
import { placeOf } from '../xml-tree'
import { TextList } from '../unit/text-list'
import { addLeaves, itemsOf, prop, propNumber, propText, valueOf } from './props'

const MAX_DEPTH = 100

/** Members of a result that are mapped, or that say how others are shown. */
const KNOWN = new Set([
  'Error',
  'Status',
  'ReportText',
  'Common',
  'TS',
  'Limits',
  'RawLimits',
  'Comp',
  'Units',
  'Numeric',
  'String',
  'PassFail',
  'Measurement',
])

/** What a step's times count from. */
export interface StepClock {
  startedAtUs: number
  /** The engine's clock at the start of the test, in seconds; undefined where the report has no times. */
  startSeconds: number | undefined
}

/** A result of TestStand with those in it. @throws ReadError */
export function mapStep(result: XmlElement, clock: StepClock, depth = 0): Step {
  if (depth > MAX_DEPTH)
    throw new ReadError([{ path: placeOf(result), message: `is nested over ${MAX_DEPTH} deep` }])
  const name = propText(result, 'TS', 'StepName') ?? 'step'
  const isSummary =
    prop(result, 'TS', 'NumLoops') !== undefined && prop(result, 'TS', 'LoopIndex') === undefined
  const seconds = propNumber(result, 'TS', 'StartTime')
  const length = propNumber(result, 'TS', 'TotalTime')
  const inner = [
    prop(result, 'TS', 'SequenceCall', 'ResultList'),
    prop(result, 'TS', 'PostAction', 'ResultList'),
  ]
  return {
    name: isSummary ? `${name} (loop)` : name,
    outcome: readStepOutcome(propText(result, 'Status'), [...placeOf(result), 'Status']),
    startedAtUs:
      seconds === undefined || clock.startSeconds === undefined
        ? undefined
        : clock.startedAtUs + (seconds - clock.startSeconds) * 1e6,
    durationUs: length === undefined || !(length >= 0) ? undefined : length * 1e6,
    isSummary,
    values: listValues(result, name, isSummary ? undefined : readValueOutcome(propText(result, 'Status'))),
    steps: inner.flatMap(itemsOf).map((one) => mapStep(one, clock, depth + 1)),
    errors: listErrors(result),
    ...listTexts(result),
  }
}

export function listErrors(result: XmlElement): string[] {
  if (propText(result, 'Error', 'Occurred')?.toLowerCase() !== 'true') return []
  const code = propText(result, 'Error', 'Code')
  return [
    [code && `Error ${code}`, propText(result, 'Error', 'Msg')].filter(Boolean).join(': ') || 'An error',
  ]
}

function listValues(result: XmlElement, name: string, status: StepValue['outcome']): StepValue[] {
  const values: StepValue[] = []
  if (prop(result, 'Numeric'))
    values.push(toNumeric(result, { name, outcome: status, value: propNumber(result, 'Numeric') }))
  const text = prop(result, 'String')
  if (text)
    values.push({
      name,
      outcome: status,
      measured_value: valueOf(text) ?? '',
      ...readTextComparison(propText(result, 'Comp'), propText(result, 'Limits', 'String')),
    })
  const passFail = propText(result, 'PassFail')
  if (passFail !== undefined)
    values.push({ name, outcome: status, measured_value: passFail.toLowerCase() === 'true' })
  const several = itemsOf(prop(result, 'Measurement'))
  return [...values, ...several.map((one, index) => toMeasurement(one, String(index + 1)))]
}

function toNumeric(
  element: XmlElement,
  { name, outcome, value }: Pick<StepValue, 'name' | 'outcome'> & { value: number | undefined },
): StepValue {
  const units = propText(element, 'Units')
  return {
    name,
    outcome,
    ...(value !== undefined && { measured_value: value }),
    ...(units !== undefined && { units }),
    ...readLimits(element),
  }
}

/** For `EQT`, the limits are tolerances of a nominal value. */
function readLimits(element: XmlElement): Limits {
  const [comparison, limits] = [propText(element, 'Comp'), prop(element, 'Limits')]
  if (comparison?.toUpperCase() === 'EQT' && limits) {
    const tolerances = new TextList()
    addLeaves(limits, tolerances)
    return { validators: [{ expression: `x EQT ${tolerances.join(', ')}` }] }
  }
  return readComparison(comparison, propNumber(limits, 'Low'), propNumber(limits, 'High'))
}

function toMeasurement(element: XmlElement, position: string): StepValue {
  const name = propText(element, 'MeasName') ?? (element.attributes['Name'] || position)
  const outcome = readValueOutcome(propText(element, 'Status'))
  const data = prop(element, 'Data')
  const kind = data?.attributes['Type']
  const flag = propText(element, 'BoolData') ?? (kind === 'Boolean' ? valueOf(data) : undefined)
  if (flag !== undefined) return { name, outcome, measured_value: flag.toLowerCase() === 'true' }
  const text = propText(element, 'StringData') ?? (kind === 'String' ? valueOf(data) : undefined)
  if (text !== undefined) {
    const limit = propText(element, 'StringLimit') ?? propText(element, 'Limits', 'String')
    return { name, outcome, measured_value: text, ...readTextComparison(propText(element, 'Comp'), limit) }
  }
  return toNumeric(element, { name, outcome, value: propNumber(element, 'Data') })
}

/** The report text, and further results of the step. */
function listTexts(result: XmlElement): Pick<Step, 'texts' | 'leftOut'> {
  const list = new TextList()
  for (const child of result.children)
    if (child.name === 'Prop' && !KNOWN.has(child.attributes['Name'] ?? '')) addLeaves(child, list)
  return { texts: [propText(result, 'ReportText') ?? '', ...list.texts], leftOut: list.leftOut }
}
