import type { ErrorDetail, SourceLocation } from './error-detail'

/**
 * One call of a Runledger function in a test, as plain data: it crosses processes as JSON and is stored in the spool.
 * Times are milliseconds since the Unix epoch, even while a test mocks `Date`.
 */
export type TestApiEvent = MeasurementEvent | StepEvent | VariableEvent | SubUnitEvent | UnitEvent | LogEvent

interface EventBase {
  /** Sequence number within one process, for calls in the same millisecond. */
  order: number
  atMs: number
}

/** Becomes a step of the run. */
export interface MeasurementEvent extends EventBase {
  kind: 'measurement'
  name: string
  /** Names of the enclosing steps, outermost first. */
  within?: string[] | undefined
  value: number
  unit?: string | undefined
  low?: number | undefined
  high?: number | undefined
  passed: boolean
  /** `record`: a value outside its limits does not fail the test. */
  limits?: 'record' | undefined
}

/** Becomes a step of the run. */
export interface StepEvent extends EventBase {
  kind: 'step'
  name: string
  within?: string[] | undefined
  passed: boolean
  durationMs: number
  error?: ErrorDetail | undefined
  location?: SourceLocation | undefined
  snippet?: string | undefined
  /** Recorded because its test failed. */
  isDetail?: true | undefined
  /** The number of the earlier attempt that this detail belongs to. Such details are dropped first. */
  attempt?: number | undefined
}

export interface VariableEvent extends EventBase {
  kind: 'variable'
  name: string
  value: string
}

export interface SubUnitEvent extends EventBase {
  kind: 'sub-unit'
  serialNumber: string
}

export interface UnitEvent extends EventBase {
  kind: 'unit'
  serialNumber: string
  partNumber?: string | undefined
  revision?: string | undefined
  batchNumber?: string | undefined
}

export interface LogEvent extends EventBase {
  kind: 'log'
  message: string
}

/** Becomes an attachment of the attempt. */
export interface FileEvent extends EventBase {
  kind: 'file'
  name: string
  contentType?: string | undefined
  /** Name of the copied file in the channel's folder; otherwise `base64` has the bytes. */
  file?: string | undefined
  base64?: string | undefined
}

/** The range that passes. Without a limit, every value does. */
export interface Limits {
  unit?: string | undefined
  low?: number | undefined
  high?: number | undefined
}

export function isWithin(value: number, { low, high }: Limits): boolean {
  return (low === undefined || value >= low) && (high === undefined || value <= high)
}

export function formatValue(value: number, { unit }: Limits): string {
  return unit ? `${value} ${unit}` : String(value)
}

/** `3.2 to 3.4 V`, `at least 3.2 V`, `at most 3.4 V`; empty without limits. */
export function formatLimits({ low, high, unit }: Limits): string {
  if (low !== undefined && high !== undefined) return `${low} to ${formatValue(high, { unit })}`
  if (low !== undefined) return `at least ${formatValue(low, { unit })}`
  return high === undefined ? '' : `at most ${formatValue(high, { unit })}`
}
