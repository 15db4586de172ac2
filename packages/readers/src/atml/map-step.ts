import { ReadError } from '../read-error'
import type { TimeReader } from '../times'
import { type Limits, readComparison, readTextComparison } from '../unit/limits'
import { readStepOutcome, readValueOutcome } from '../unit/outcomes'
import type { Step, StepValue } from '../unit/report'
import type { XmlElement } from '../xml'
import { attributeOf, childrenOf, find, placeOf, readNumber, textOf } from '../xml-tree'
import { MAX_NAME, TextList } from '../unit/text-list'
import { addLeaves, type AtmlValue, readDatum } from './datum'

const MAX_DEPTH = 100
const STEPS = new Set(['Test', 'TestGroup', 'SessionAction'])
/** Results that TestStand names by their kind have the name of their step. */
const KINDS = new Set(['Numeric', 'String', 'PassFail', ''])

/** A step of ATML with those in it. @throws ReadError */
export function mapStep(element: XmlElement, times: TimeReader, depth = 0): Step {
  if (depth > MAX_DEPTH)
    throw new ReadError([{ path: placeOf(element), message: `is nested over ${MAX_DEPTH} deep` }])
  const written = attributeOf(element, 'callerName') ?? attributeOf(element, 'name') ?? 'step'
  const name = depth === 0 ? written : (written.split('#').at(-1) ?? written)
  const properties = find(element, 'Extension', 'TSStepProperties')
  const isSummary = find(properties, 'NumLoops') !== undefined && find(properties, 'LoopIndex') === undefined
  const startedAtUs = readTime(element, 'startDateTime', times)
  const endedAtUs = readTime(element, 'endDateTime', times)
  const outcome = find(element, 'Outcome') ?? find(element, 'ActionOutcome')
  const further = new TextList()
  const results = childrenOf(element, 'TestResult').map((result) => readResult(result, name, further))
  addFurther(element, further)
  return {
    name: isSummary ? `${name} (loop)` : name,
    outcome: readStepOutcome(wordOf(outcome, readsAsStep), placeOf(element)),
    isSummary,
    startedAtUs,
    durationUs:
      startedAtUs === undefined || endedAtUs === undefined ? undefined : Math.max(0, endedAtUs - startedAtUs),
    values: results.flatMap((result) => result.value ?? []),
    steps: element.children
      .filter((child) => STEPS.has(child.name))
      .map((one) => mapStep(one, times, depth + 1)),
    errors: listErrors(element),
    texts: [...results.flatMap((result) => result.text ?? []), ...further.texts],
    leftOut: further.leftOut,
  }
}

/** The word that says a verdict: the qualifier where it says more. */
export function wordOf(
  outcome: XmlElement | undefined,
  isKnown: (word: string) => boolean,
): string | undefined {
  const qualifier = attributeOf(outcome, 'qualifier')
  return qualifier !== undefined && isKnown(qualifier) ? qualifier : attributeOf(outcome, 'value')
}

function readsAsStep(word: string): boolean {
  try {
    return readStepOutcome(word, []) !== undefined
  } catch {
    return false
  }
}

/** @throws ReadError */
export function readTime(element: XmlElement, name: string, times: TimeReader): number | undefined {
  const text = attributeOf(element, name)
  if (text === undefined) return undefined
  const us = times.readUs(text)
  if (us !== undefined) return us
  throw new ReadError([
    {
      path: [...placeOf(element), name],
      message: `is "${text.slice(0, 60)}": it must be a time such as 2026-03-05T09:15:41`,
    },
  ])
}

/** Reads a result as a value. A result that is neither a number, a text nor a list of numbers is read as texts. */
function readResult(
  result: XmlElement,
  stepName: string,
  further: TextList,
): { value?: StepValue; text?: string } {
  const named = attributeOf(result, 'name') ?? ''
  const name = KINDS.has(named) ? stepName : named
  const data = find(result, 'TestData')
  const datum = data?.children[0] && readDatum(data.children[0])
  if (named === 'ReportText') return { text: String(datum?.value ?? '') }
  const hasValue = datum?.value !== undefined
  for (const one of data?.children.slice(hasValue ? 1 : 0) ?? []) addLeaves(one, further, name)
  if (!hasValue) return {}
  const { value, units } = datum
  return {
    value: {
      name,
      outcome: readValueOutcome(wordOf(find(result, 'Outcome'), readsAsStep)),
      measured_value: value,
      ...(units !== undefined && { units }),
      ...readLimits(find(result, 'TestLimits', 'Limits'), value),
    },
  }
}

function readLimits(limits: XmlElement | undefined, value: AtmlValue['value']): Limits {
  if (limits === undefined) return {}
  const [pair, single, expected] = ['LimitPair', 'SingleLimit', 'Expected'].map((name) => find(limits, name))
  if (pair) return readPair(pair)
  const one = single ?? expected
  if (one === undefined) {
    const leaves = new TextList()
    for (const child of limits.children) if (child.name !== 'Extension') addLeaves(child, leaves, 'limits')
    return leaves.texts.length === 0 ? {} : { validators: [{ expression: leaves.join('; ') }] }
  }
  const comparison = attributeOf(one, 'comparator')
  const datum = find(one, 'Datum')
  const wanted = datum && readDatum(datum).value
  if (typeof value === 'string') return readTextComparison(comparison, String(wanted ?? ''))
  if (typeof wanted === 'boolean')
    return { validators: [{ operator: comparison === 'NE' ? '!=' : '==', expected_value: wanted }] }
  const isTolerance = find(limits, 'Extension', 'TSLimitProperties', 'ThresholdType') !== undefined
  const limit = datum && readNumber(attributeOf(datum, 'value') ?? textOf(find(datum, 'Value')), datum)
  return readComparison(isTolerance && comparison === 'EQ' ? 'EQT' : comparison, limit, undefined)
}

/** Two limits: `AND` requires a value between them, `OR` one outside. */
function readPair(pair: XmlElement): Limits {
  const [first, second] = childrenOf(pair, 'Limit').map((limit) => {
    const datum = find(limit, 'Datum')
    return {
      comparison: attributeOf(limit, 'comparator') ?? '',
      limit: datum && readNumber(attributeOf(datum, 'value'), datum),
    }
  })
  const [low, high] = first?.comparison.startsWith(attributeOf(pair, 'operator') === 'OR' ? 'G' : 'L')
    ? [second, first]
    : [first, second]
  return readComparison(`${low?.comparison ?? ''}${high?.comparison ?? ''}`, low?.limit, high?.limit)
}

function listErrors(element: XmlElement): string[] {
  const messages = (one: XmlElement): string[] => [
    ...(['Message', 'Description'].includes(one.name) && textOf(one) ? [textOf(one) ?? ''] : []),
    ...one.children.flatMap(messages),
  ]
  return childrenOf(element, 'Events').flatMap(messages)
}

function addFurther(element: XmlElement, list: TextList): void {
  for (const data of childrenOf(element, 'Data')) for (const one of data.children) addLeaves(one, list, '')
  for (const one of childrenOf(find(element, 'Parameters'), 'Parameter'))
    for (const child of find(one, 'Data')?.children ?? [])
      addLeaves(child, list, attributeOf(one, 'name')?.slice(0, MAX_NAME) ?? '')
}
