/**
 * What a test says with Runledger's functions while it runs, as plain data: it crosses processes as JSON and lies in the
 * spool. Times are milliseconds since the Unix epoch on the real clock, whatever the test does to `Date`.
 */
export type Said = SaidMeasurement | SaidStep | SaidVariable | SaidSubUnit | SaidUnit | SaidLog

interface SaidAtOnce {
  /** Place among everything that was said in one process: calls of one millisecond keep their order. */
  order: number
  atMs: number
}

/** A measured value. It becomes a step of the run. */
export interface SaidMeasurement extends SaidAtOnce {
  kind: 'measurement'
  name: string
  /** Names of the steps that it was measured in, outermost first. */
  within?: string[] | undefined
  value: number
  unit?: string | undefined
  /** Lowest and highest value that pass. */
  low?: number | undefined
  high?: number | undefined
  passed: boolean
}

/** A part of a test with a name of its own. It becomes a step of the run. */
export interface SaidStep extends SaidAtOnce {
  kind: 'step'
  name: string
  within?: string[] | undefined
  passed: boolean
  durationMs: number
}

/** A report variable of the run. */
export interface SaidVariable extends SaidAtOnce {
  kind: 'variable'
  name: string
  value: string
}

/** A unit that is part of the unit under test. */
export interface SaidSubUnit extends SaidAtOnce {
  kind: 'sub-unit'
  serialNumber: string
}

/** The unit under test, known only now. */
export interface SaidUnit extends SaidAtOnce {
  kind: 'unit'
  serialNumber: string
  partNumber?: string | undefined
  revision?: string | undefined
}

/** A line for the suite's log. */
export interface SaidLog extends SaidAtOnce {
  kind: 'log'
  message: string
}

/** Bytes that a test attached: they become an attachment of the attempt. */
export interface SaidFile extends SaidAtOnce {
  kind: 'file'
  name: string
  contentType?: string | undefined
  /** Name of the file in the channel's folder that has them; */
  file?: string | undefined
  /** or the bytes themselves, where there is no such folder. */
  base64?: string | undefined
}

/** Media type of a Playwright attachment that is one: a JSON list of `Said`. Nothing of it goes on record as a file. */
export const SAID_MEDIA_TYPE = 'application/vnd.runledger.said+json'

/** Key of Vitest's `task.meta` under which what was said is. */
export const SAID_META = 'runledger'
