import type { ErrorDetail, SourceLocation } from './error-detail'

/**
 * One call of a Runledger function in a test (`measure`, `step`, `log`, …) as plain data: it crosses processes as JSON and
 * is stored in the spool. Times are milliseconds since the Unix epoch on the real clock, even while a test mocks `Date`.
 */
export type TestApiEvent = MeasurementEvent | StepEvent | VariableEvent | SubUnitEvent | UnitEvent | LogEvent

interface EventBase {
  /** Sequence number within one process: keeps the order of calls in the same millisecond. */
  order: number
  /** Time of the call; of a step, its start. */
  atMs: number
}

/** A measured value. It becomes a step of the run. */
export interface MeasurementEvent extends EventBase {
  kind: 'measurement'
  name: string
  /** Names of the enclosing steps, outermost first. */
  within?: string[] | undefined
  value: number
  unit?: string | undefined
  /** Lowest and highest value that pass. */
  low?: number | undefined
  high?: number | undefined
  passed: boolean
  /** `record`: a value outside its limits fails nothing. */
  limits?: 'record' | undefined
}

/** A named part of a test. It becomes a step of the run. */
export interface StepEvent extends EventBase {
  kind: 'step'
  name: string
  within?: string[] | undefined
  passed: boolean
  durationMs: number
  /** Why it failed, where the framework tells. */
  error?: ErrorDetail | undefined
  location?: SourceLocation | undefined
  /** The code around its place. */
  snippet?: string | undefined
  /** Recorded by default, because its test failed. */
  isDetail?: true | undefined
  /** Of a detail of an earlier attempt than the one that has it: its number, from 1. Of too many details these go first. */
  attempt?: number | undefined
}

/** Sets a report variable of the run. */
export interface VariableEvent extends EventBase {
  kind: 'variable'
  name: string
  value: string
}

/** Names a unit that is part of the unit under test. */
export interface SubUnitEvent extends EventBase {
  kind: 'sub-unit'
  serialNumber: string
}

/** Names the unit under test. */
export interface UnitEvent extends EventBase {
  kind: 'unit'
  serialNumber: string
  partNumber?: string | undefined
  revision?: string | undefined
}

/** A line for the suite's log. */
export interface LogEvent extends EventBase {
  kind: 'log'
  message: string
}

/** An attachment on its way from a test to its reporter, which makes it an attachment of the attempt. */
export interface FileEvent extends EventBase {
  kind: 'file'
  name: string
  contentType?: string | undefined
  /** Name of the copied file in the channel's folder. */
  file?: string | undefined
  /** The bytes themselves, where there is no such folder. */
  base64?: string | undefined
}

/** What a measured value is compared with: the range that passes. Without a limit, every value does. */
export interface Limits {
  /** `V`, `°C`, `ms`, … */
  unit?: string | undefined
  low?: number | undefined
  high?: number | undefined
}

export function isWithin(value: number, { low, high }: Limits): boolean {
  return (low === undefined || value >= low) && (high === undefined || value <= high)
}

/** `3.3 V` */
export function formatValue(value: number, { unit }: Limits): string {
  return unit ? `${value} ${unit}` : String(value)
}

/** `3.2 to 3.4 V`, `at least 3.2 V`, `at most 3.4 V`; empty without limits. */
export function formatLimits({ low, high, unit }: Limits): string {
  if (low !== undefined && high !== undefined) return `${low} to ${formatValue(high, { unit })}`
  if (low !== undefined) return `at least ${formatValue(low, { unit })}`
  return high === undefined ? '' : `at most ${formatValue(high, { unit })}`
}
