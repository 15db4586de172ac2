import { type CreateRunRequest, formatTimestampMs } from '@runledger/protocol'
import { RUNLEDGER_VARIABLES } from '../environment/report-variables'
import type { Suite, SuiteTest } from '../model/suite'
import {
  formatLimits,
  formatValue,
  type StepEvent,
  type TestApiEvent,
  type UnitEvent,
} from '../model/test-api-event'
import { formatStepName } from './step-name'

type Kind = TestApiEvent['kind']
type EventOf<K extends Kind> = Extract<TestApiEvent, { kind: K }>

export function listTestApiEvents(suites: readonly Suite[]): TestApiEvent[] {
  return suites.flatMap((suite) => [
    ...(suite.events ?? []),
    ...suite.tests.flatMap(({ attempts }) => attempts.flatMap(({ events = [] }) => events)),
  ])
}

/** Earlier attempts only appear in the log. */
export function lastAttemptEvents<K extends Kind>(test: SuiteTest, kinds: readonly K[]): EventOf<K>[] {
  return filterKinds(test.attempts.at(-1)?.events, kinds)
}

export function filterKinds<K extends Kind>(
  events: readonly TestApiEvent[] = [],
  kinds: readonly K[],
): EventOf<K>[] {
  return events.filter((each): each is EventOf<K> => (kinds as readonly Kind[]).includes(each.kind))
}

function sortKindByTime<K extends Kind>(events: readonly TestApiEvent[], kind: K): EventOf<K>[] {
  return filterKinds(events, [kind]).sort((a, b) => a.atMs - b.atMs || a.order - b.order)
}

export function mapVariableEvents(events: readonly TestApiEvent[]): Record<string, string> {
  return Object.fromEntries(sortKindByTime(events, 'variable').map(({ name, value }) => [name, value]))
}

export type ConfiguredUnit = Pick<UnitEvent, 'partNumber' | 'revision' | 'batchNumber'>

/** The unit under test that tests named last; the configured fields fill missing ones. */
export function mapLastUnitEvent(
  events: readonly TestApiEvent[],
  configured: ConfiguredUnit = {},
): CreateRunRequest['unit_under_test'] | undefined {
  const last = sortKindByTime(events, 'unit').at(-1)
  if (last === undefined) return undefined
  const { serialNumber, partNumber = configured.partNumber } = last
  const isOfConfigured = last.partNumber === undefined || last.partNumber === configured.partNumber
  const { revision, batchNumber } = isOfConfigured ? configured : {}
  return {
    serial_number: serialNumber,
    part_number: partNumber,
    revision: last.revision ?? revision,
    batch_number: last.batchNumber ?? batchNumber,
  }
}

const SUB_UNIT = ['sub-unit'] as const

/** Distinct serial numbers; for a test, those of its last attempt. */
export function listSubUnitSerialNumbers(suites: readonly Suite[]): string[] {
  const events = suites.flatMap((suite) => [
    ...filterKinds(suite.events, SUB_UNIT),
    ...suite.tests.flatMap((test) => lastAttemptEvents(test, SUB_UNIT)),
  ])
  return [...new Set(events.map(({ serialNumber }) => serialNumber))]
}

/** Lines at the head of a log about events without effect: overridden units and reserved variables. */
export function describeIgnoredEvents(suite: Suite): string[] {
  const events = listTestApiEvents([suite])
  const named = sortKindByTime(events, 'unit').map(({ serialNumber }) => serialNumber)
  const units = [...new Set(named)]
  const names = Object.keys(mapVariableEvents(events)).filter((name) => RUNLEDGER_VARIABLES.includes(name))
  return [
    ...(units.length > 1
      ? [`unit       tests named ${units.join(', ')}: the last one, ${named.at(-1)}, counts`]
      : []),
    ...names.map((name) => `variable   ${name} is Runledger's own and stays as it is`),
  ]
}

function formatUnit({ serialNumber, partNumber, revision, batchNumber }: UnitEvent): string {
  const batch = batchNumber === undefined ? undefined : `batch ${batchNumber}`
  const of = [partNumber, revision, batch].filter((part) => part !== undefined).join(' ')
  return of === '' ? serialNumber : `${serialNumber} (${of})`
}

export function formatEventName({ within = [], name }: Pick<StepEvent, 'within' | 'name'>): string {
  return formatStepName([...within, name])
}

export function formatTestApiEvents(events: readonly TestApiEvent[] = [], margin: string): string[] {
  return events
    .filter((event) => event.kind !== 'step' || !event.isDetail)
    .toSorted((a, b) => a.order - b.order)
    .flatMap((event) => {
      const [first = '', ...others] = describe(event).split(/\r?\n/)
      const head = `${margin}${WORDS[event.kind]} ${formatTimestampMs(event.atMs)}  ${first}`
      return [head, ...others.map((line) => `${margin}  | ${line}`)]
    })
}

const WORDS: Record<TestApiEvent['kind'], string> = {
  measurement: 'measured',
  step: 'step',
  variable: 'variable',
  'sub-unit': 'sub-unit',
  unit: 'unit',
  log: 'log',
}

function describe(event: TestApiEvent): string {
  switch (event.kind) {
    case 'measurement': {
      const limits = formatLimits(event)
      const verdict = event.passed ? '✓' : '✗'
      const judged = limits === '' ? '' : ` (${limits})${event.limits === 'record' ? ', recorded only' : ''}`
      return `${verdict} ${formatEventName(event)} = ${formatValue(event.value, event)}${judged}`
    }
    case 'step':
      return `${event.passed ? '✓' : '✗'} ${formatEventName(event)} (${Math.round(event.durationMs)} ms)`
    case 'variable':
      return `${event.name} = ${event.value}`
    case 'sub-unit':
      return event.serialNumber
    case 'unit':
      return formatUnit(event)
    case 'log':
      return event.message
  }
}
