import type { MeasurementEvent } from '@runledger/core'
import { formatLimits, formatValue, isWithin } from '@runledger/core/light'
import {
  checkKeys,
  checkLimits,
  checkName,
  checkNumber,
  InvalidArgumentError,
  LIMIT_KEYS,
  stringify,
} from './check-arguments'
import { readEnclosingSteps } from './step'
import type { MatcherResult, MeasureOptions, NamedLimits, TestApi } from './test-api-types'

type Measurement = Omit<MeasurementEvent, 'order' | 'atMs'>

type RecordMeasurement = (measurement: Measurement) => void

/** False if it is unknown which test runs, or none does. */
export type FailAtEnd = (error: Error) => boolean

export interface MeasureSetup {
  record: RecordMeasurement
  errorName: string
  failAtEnd: FailAtEnd
}

export function createMeasureFunctions({
  record,
  errorName,
  failAtEnd,
}: MeasureSetup): Pick<TestApi, 'measure' | 'measureAll' | 'toBeWithinLimits'> {
  function fail({ soft }: MeasureOptions, error: Error): void {
    if (!soft || !failAtEnd(error)) throw error
  }

  function measure(name: string, value: number, options: MeasureOptions = {}): boolean {
    checkOptions('measure', name, options)
    checkNumber('measure', 'value', value)
    const measurement = createMeasurement(name, value, options)
    record(measurement)
    if (measurement.passed || options.limits === 'record') return measurement.passed
    const message = explain(`measure(${stringify(name)})`, [
      ['Expected', formatLimits(options)],
      ['Received', formatValue(value, options)],
    ])
    fail(options, createError(errorName, message, measure))
    return false
  }

  function measureAll(name: string, values: Iterable<number>, options: MeasureOptions = {}): boolean {
    checkOptions('measureAll', name, options)
    const samples = readSamples(values)
    const measurements = samples.map((value, index) =>
      createMeasurement(`${name} #${index + 1}`, value, options),
    )
    for (const measurement of measurements) record(measurement)
    const failed = measurements.filter(({ passed }) => !passed)
    if (failed.length === 0 || options.limits === 'record') return failed.length === 0
    const message = explain(`measureAll(${stringify(name)})`, [
      ['Expected', formatLimits(options)],
      ...failed.map((each): Line => [each.name, formatValue(each.value, each)]),
    ])
    fail(options, createError(errorName, message, measureAll))
    return false
  }

  return { measure, measureAll, toBeWithinLimits: createMatcher(record) }
}

/** Under `.not` a value passes outside its limits, but its recorded step has failed. */
function createMatcher(record: RecordMeasurement): TestApi['toBeWithinLimits'] {
  const call = 'toBeWithinLimits'
  return (received: unknown, expected: NamedLimits): MatcherResult => {
    checkKeys(call, expected, ['name', ...LIMIT_KEYS])
    const { name, ...limits } = expected
    checkName(call, 'name', name)
    checkLimits(call, limits)
    checkNumber(call, 'the value expected', received)
    const measurement = createMeasurement(name, received, limits)
    record(measurement)
    const { passed } = measurement
    const message = (): string =>
      explain(`expect(${name}).${passed ? 'not.' : ''}${call}(limits)`, [
        [passed ? 'Expected: not' : 'Expected', formatLimits(limits)],
        ['Received', formatValue(received, limits)],
      ])
    return { pass: passed, message }
  }
}

function checkOptions(call: string, name: unknown, options: MeasureOptions): void {
  checkName(call, 'name', name)
  checkKeys(call, options, [...LIMIT_KEYS, 'soft', 'limits'])
  const { soft, limits } = options
  if (soft !== undefined && typeof soft !== 'boolean')
    throw new InvalidArgumentError(call, { field: 'soft', value: soft, fix: 'give true or false' })
  if (limits !== undefined && limits !== 'record')
    throw new InvalidArgumentError(call, { field: 'limits', value: limits, fix: 'give "record"' })
  if (soft && limits !== undefined)
    throw new InvalidArgumentError(call, 'soft and limits exclude each other; give one of them')
  checkLimits(call, options)
}

function readSamples(values: Iterable<number>): number[] {
  const isIterable = typeof values === 'object' && values !== null && Symbol.iterator in values
  const samples = isIterable ? [...values] : []
  if (samples.length === 0) {
    const fix = 'give at least one number in an array'
    throw new InvalidArgumentError('measureAll', { field: 'values', value: values, fix })
  }
  samples.forEach((sample, index) => checkNumber('measureAll', `values[${index}]`, sample))
  return samples
}

function createMeasurement(
  name: string,
  value: number,
  { unit, low, high, limits }: MeasureOptions,
): Measurement {
  const passed = isWithin(value, { low, high })
  const event = { name, ...readEnclosingSteps(), value, unit, low, high, passed }
  return { kind: 'measurement', ...event, ...(limits && { limits }) }
}

type Line = [label: string, text: string]

/** Aligned, as test frameworks print them. */
function explain(call: string, lines: readonly Line[]): string {
  const width = lines.reduce((widest, [label]) => Math.max(widest, label.length), 0) + 1
  return [call, '', ...lines.map(([label, text]) => `${`${label}:`.padEnd(width)} ${text}`)].join('\n')
}

/** Its stack begins at the user's line, which frameworks show. */
function createError(name: string, message: string, caller: (...args: never[]) => unknown): Error {
  const error = new Error(message)
  if (name !== error.name) error.name = name
  Error.captureStackTrace?.(error, caller)
  return error
}
