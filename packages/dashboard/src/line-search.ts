import { RULE_SETS, type RuleSet, YIELD_GROUPS, type YieldGroup } from '@runledger/protocol'
import { readOne, readText } from './page-search'
import { isDate } from './run-filter'

export const LINE_DAYS = ['7', '28', '90', '365'] as const
export type LineDays = (typeof LINE_DAYS)[number]
export const DEFAULT_DAYS: LineDays = '28'
export const DEFAULT_GROUP: YieldGroup = 'week'

type Search = Record<string, unknown>

/** `/line?days=90`; the procedure is that of the scope. */
export interface LineSearch {
  days?: LineDays | undefined
}

export function parseLineSearch({ days }: Search): LineSearch {
  return { days: readOne(days, LINE_DAYS) }
}

/** `/line/<procedure>?by=batch&days=90`. */
export interface LineProcedureSearch extends LineSearch {
  by?: YieldGroup | undefined
}

export function parseLineProcedureSearch({ by, ...rest }: Search): LineProcedureSearch {
  return { ...parseLineSearch(rest), by: readOne(by, YIELD_GROUPS) }
}

export const COLOURINGS = ['batch', 'station', 'version'] as const
export type Colouring = (typeof COLOURINGS)[number]

/** `/line/<procedure>/measurement?phase=…&measurement=…&colour=station&until=2026-11-01`. */
export interface MeasurementSearch extends LineSearch {
  phase?: string | undefined
  /** Undefined for that of the phase's own name. */
  measurement?: string | undefined
  colour?: Colouring | undefined
  rules?: RuleSet | undefined
  /** A day: the limits come from values up to its end. */
  until?: string | undefined
  batch?: string | undefined
  station?: string | undefined
  version?: string | undefined
}

export function parseMeasurementSearch(search: Search): MeasurementSearch {
  const until = readText(search['until'])
  return {
    ...parseLineSearch(search),
    phase: readText(search['phase']),
    measurement: readText(search['measurement']),
    colour: readOne(search['colour'], COLOURINGS),
    rules: readOne(search['rules'], RULE_SETS),
    until: until !== undefined && isDate(until) ? until : undefined,
    batch: readText(search['batch']),
    station: readText(search['station']),
    version: readText(search['version']),
  }
}
