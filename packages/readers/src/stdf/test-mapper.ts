import type { PhaseOutcome } from '@runledger/protocol'
import type { Step, StepValue } from '../unit/report'
import type { TestRecord } from './records'

/** Facts of a test's first record that later ones inherit. */
interface TestDefaults {
  name: string
  low: number | null | undefined
  high: number | null | undefined
  units: string | undefined
  scale: number | undefined
}

/** Prefixes of units by the exponent that a value is shown with. */
const PREFIXES: Readonly<Record<number, string>> = {
  15: 'f',
  12: 'p',
  9: 'n',
  6: 'u',
  3: 'm',
  2: '%',
  [-3]: 'K',
  [-6]: 'M',
  [-9]: 'G',
  [-12]: 'T',
}

/** Maps results of tests, each with the inherited facts of its first record. */
export class TestMapper {
  readonly #defaults = new Map<string, TestDefaults>()
  /** The test that has a name. */
  readonly #names = new Map<string, number>()

  remember(record: TestRecord): void {
    const key = keyOf(record)
    const known = this.#defaults.get(key)
    if (known) return
    const { low, high, units, scale } = record
    this.#defaults.set(key, { name: this.#nameTest(record), low, high, units, scale })
  }

  /** Numbers distinguish tests with equal texts. */
  #nameTest({ text, test }: TestRecord): string {
    const named = text ?? `Test ${test}`
    const owner = this.#names.get(named)
    if (owner === undefined) this.#names.set(named, test)
    return owner === undefined || owner === test ? named : `${named} (${test})`
  }

  toStep(record: TestRecord): Step {
    const defaults = this.#defaults.get(keyOf(record)) as TestDefaults
    const { flags, remark, wasExecuted, results } = record
    const isUseful = wasExecuted && flags.length === 0
    const values = isUseful ? this.#listValues(record, defaults) : []
    const unused =
      !isUseful && results.length > 0 && !flags.includes('no value') ? `value ${results.join(', ')}` : ''
    return {
      name: defaults.name,
      outcome: findOutcome(record),
      durationUs: 0,
      values,
      steps: [],
      errors: flags.some((flag) => flag === 'timeout' || flag === 'aborted') ? [flags.join(', ')] : [],
      texts: [[flags.join(', '), unused, remark].filter(Boolean).join('; ')],
    }
  }

  #listValues(record: TestRecord, defaults: TestDefaults): StepValue[] {
    const scale = record.scale ?? defaults.scale ?? 0
    const prefix = PREFIXES[scale]
    const factor = record.isScaled || prefix === undefined ? 0 : scale
    const units = `${prefix ?? ''}${record.units ?? defaults.units ?? ''}`
    const low = record.low === undefined ? defaults.low : record.low
    const high = record.high === undefined ? defaults.high : record.high
    const isOne = record.results.length === 1
    return record.results.map((value, index) => ({
      name: isOne ? defaults.name : `${defaults.name} [${index + 1}]`,
      outcome: isOne ? record.verdict : undefined,
      measured_value: shift(value, factor),
      ...(units !== '' && { units }),
      ...(typeof low === 'number' && Number.isFinite(low) && { lower_limit: shift(low, factor) }),
      ...(typeof high === 'number' && Number.isFinite(high) && { upper_limit: shift(high, factor) }),
    }))
  }
}

function keyOf({ type, test }: TestRecord): string {
  return `${type} ${test}`
}

function findOutcome({ verdict, wasExecuted, flags }: TestRecord): PhaseOutcome {
  if (!wasExecuted) return 'SKIP'
  if (flags.includes('timeout') || flags.includes('aborted')) return 'ERROR'
  return verdict ?? 'PASS'
}

/** Multiplies by a power of ten without binary rounding errors. */
function shift(value: number, exponent: number): number {
  return exponent === 0 || !Number.isFinite(value) ? value : Number((value * 10 ** exponent).toPrecision(9))
}
