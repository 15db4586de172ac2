import type { Limits } from './limits'

/** How a value is judged, and what happens when it is outside its limits. */
export interface MeasureOptions extends Limits {
  /** Outside its limits it is a failed step on record, and the test goes on. By default the call throws. */
  soft?: boolean | undefined
}

/** What to attach: a file, copied before the call returns, or bytes or text. */
export type AttachOptions =
  | { path: string; body?: undefined; contentType?: string | undefined }
  | { body: string | Uint8Array; path?: undefined; contentType?: string | undefined }

export interface UnitUnderTest {
  serialNumber: string
  partNumber?: string | undefined
  revision?: string | undefined
}

/**
 * What tests put on record with. Each call belongs to the test that it is made in, its hooks included, and else to the
 * file; without a reporter it does nothing. A call that cannot mean anything (NaN, a low limit above the high one, …)
 * throws a TypeError at once, with a reporter or without.
 */
export interface TestSide {
  /**
   * Puts a measured value on record as a step of its own. Limits belong to what passes.
   * @returns whether the value is within its limits
   * @throws Error when it is not, unless `soft`
   */
  measure(name: string, value: number, options?: MeasureOptions): boolean

  /** The same for samples, named `<name> #1`, `<name> #2`, …: all are on record before the first one outside throws. */
  measureAll(name: string, values: Iterable<number>, options?: MeasureOptions): boolean

  /** Attaches a file, bytes or text. They may change or go as soon as the call returns. */
  attach(name: string, options: AttachOptions): void

  /** Sets a report variable of the run; the last word counts. Runledger's own variables stay as they are. */
  variable(name: string, value: string | number | boolean): void

  /** Runs a part of the test as a step of the run, `<test> › <name>`; steps may hold steps. Fails as its body does. */
  step<Result>(name: string, body: () => Result | Promise<Result>): Promise<Result>

  /** Names a unit that is part of the unit under test. The service must know it: by a run of its own, for one. */
  subUnit(serialNumber: string): void

  /** Names the unit under test, where only the test finds out. The last word counts. */
  unitUnderTest(unit: UnitUnderTest): void

  /** Writes a line into the suite's log, under its test. */
  log(message: string): void
}

/** Fields of a measurement for the matcher: `expect(value).toBeWithinLimits({ name, unit, low, high })`. */
export interface NamedLimits extends Limits {
  name: string
}

/** What a matcher answers its framework. */
export interface MatcherResult {
  pass: boolean
  message: () => string
}
