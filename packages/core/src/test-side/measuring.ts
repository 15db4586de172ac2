import { checkMeasurement, explainBreach, formatLimits, formatValue, isWithin } from './limits'
import { checkNumber, MisuseError } from './misuse'
import type { SaidMeasurement } from './said'
import { currentSteps } from './step-path'
import type { MeasureOptions, TestSide } from './test-side'

type Judged = Omit<SaidMeasurement, 'order' | 'atMs'>

/** `measure` and `measureAll`; a breach is an error of the name by which the framework tells a failed assertion. */
export function createMeasuring(
  say: (measurement: Judged) => void,
  errorName: string,
): Pick<TestSide, 'measure' | 'measureAll'> {
  function measure(name: string, value: number, options: MeasureOptions = {}): boolean {
    checkMeasurement('measure', name, options)
    checkNumber('measure', 'value', value)
    const measurement = judge(name, value, options)
    say(measurement)
    if (measurement.passed || options.soft) return measurement.passed
    const received: Line = ['Received', formatValue(value, options)]
    const message = explain(`measure(${JSON.stringify(name)})`, options, [received])
    throw createError(errorName, message, measure)
  }

  function measureAll(name: string, values: Iterable<number>, options: MeasureOptions = {}): boolean {
    checkMeasurement('measureAll', name, options)
    const samples = readSamples(values)
    const measurements = samples.map((value, index) => judge(`${name} #${index + 1}`, value, options))
    for (const measurement of measurements) say(measurement)
    const breaches = measurements.filter(({ passed }) => !passed)
    if (breaches.length === 0 || options.soft) return breaches.length === 0
    const received = breaches.map((each): Line => [each.name, formatValue(each.value, each)])
    const message = explain(`measureAll(${JSON.stringify(name)})`, options, received)
    throw createError(errorName, message, measureAll)
  }

  return { measure, measureAll }
}

type Line = [label: string, text: string]

function judge(name: string, value: number, { unit, low, high }: MeasureOptions): Judged {
  const passed = isWithin(value, { low, high })
  return { kind: 'measurement', name, ...nameSteps(currentSteps()), value, unit, low, high, passed }
}

export function nameSteps(within: readonly string[]): { within?: string[] } {
  return within.length === 0 ? {} : { within: [...within] }
}

function readSamples(values: Iterable<number>): number[] {
  const isList = typeof values === 'object' && values !== null && Symbol.iterator in values
  const samples = isList ? [...values] : []
  if (samples.length === 0) {
    const fix = 'give at least one number in an array'
    throw new MisuseError('measureAll', { field: 'values', value: values, fix })
  }
  samples.forEach((sample, index) => checkNumber('measureAll', `values[${index}]`, sample))
  return samples
}

function explain(call: string, limits: MeasureOptions, received: readonly Line[]): string {
  return explainBreach(call, [['Expected', formatLimits(limits)], ...received])
}

/** Its stack begins at the user's own line, which frameworks show. */
function createError(name: string, message: string, below: (...args: never[]) => unknown): Error {
  const error = new Error(message)
  if (name !== error.name) error.name = name
  Error.captureStackTrace?.(error, below)
  return error
}
