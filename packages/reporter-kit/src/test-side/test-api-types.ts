import type { Limits } from '@runledger/core'

/** Limits of a measured value, and what happens when the value is outside of them. */
export interface MeasureOptions extends Limits {
  /**
   * A value outside its limits fails the test at its end, as `expect.soft` does: the test goes on. By default the call
   * throws; so it does with `soft` where no test runs.
   */
  soft?: boolean | undefined
  /** `record`: a value outside its limits fails nothing. It is marked on record as outside of them. */
  limits?: 'record' | undefined
}

/** What to attach: a file, which is copied before the call returns, or bytes or text. */
export type AttachOptions =
  | { path: string; body?: undefined; contentType?: string | undefined }
  | { body: string | Uint8Array; path?: undefined; contentType?: string | undefined }

export interface UnitUnderTest {
  serialNumber: string
  partNumber?: string | undefined
  revision?: string | undefined
  /** The batch that it was made in; only for our own service. */
  batchNumber?: string | undefined
}

/** Name and limits for the matcher: `expect(value).toBeWithinLimits({ name, unit, low, high })`. */
export interface NamedLimits extends Limits {
  name: string
}

export interface MatcherResult {
  pass: boolean
  message: () => string
}

/**
 * The functions that tests call. Each call belongs to the test that makes it, hooks included; outside of tests, to the
 * file. Without a reporter, calls are checked and otherwise ignored. An invalid argument (NaN, a low limit above the high
 * one, an unknown key, …) throws a TypeError, with or without a reporter.
 */
export interface TestApi {
  /**
   * Puts a measured value on record as a step of its own.
   * @returns whether the value is within its limits, which belong to the passing range
   * @throws Error when it is not, unless `soft` or `limits: 'record'`
   * @example measure('output', 3.31, { unit: 'V', low: 3.2, high: 3.4 })
   */
  measure(name: string, value: number, options?: MeasureOptions): boolean

  /**
   * Puts several samples on record, named `<name> #1`, `<name> #2`, … All are recorded before the call throws.
   * @returns whether all values are within their limits
   * @throws Error when one is not, unless `soft` or `limits: 'record'`
   */
  measureAll(name: string, values: Iterable<number>, options?: MeasureOptions): boolean

  /** Attaches a file, bytes or text, which may be changed or deleted as soon as the call returns. */
  attach(name: string, options: AttachOptions): void

  /** Sets a report variable of the run; the last value wins. Runledger's own variables cannot be replaced. */
  variable(name: string, value: string | number | boolean): void

  /** Runs a part of the test as a step of the run, `<test> › <name>`, and returns or throws what the body does. Steps can be nested. */
  step<Result>(name: string, body: () => Result | Promise<Result>): Promise<Result>

  /** Names a unit that is part of the unit under test. The service must know its serial number. */
  subUnit(serialNumber: string): void

  /** Names the unit under test, where only the test can find out which one it is. The last call wins. */
  unitUnderTest(unit: UnitUnderTest): void

  /** Writes a line into the suite's log, below its test. */
  log(message: string): void

  /** Matcher for `expect.extend({ toBeWithinLimits })`: puts the value on record and asserts its limits. */
  toBeWithinLimits(received: unknown, expected: NamedLimits): MatcherResult
}
