import type { LimitRows } from '@runledger/protocol'
import { ReadError } from '../read-error'
import type { Cells } from './cells'

/** Limits and a unit that hold for a whole column. */
export interface ColumnLimits {
  lower?: number | undefined
  upper?: number | undefined
  units?: string | undefined
}

/** The rows that hold limits, and the others. @throws ReadError for limits that are no numbers, or rows that are not there */
export function splitLimitRows(
  cells: Cells,
  wanted: LimitRows | undefined,
): { values: Cells; limitsOf: (column: string) => ColumnLimits } {
  if (wanted === undefined) return { values: cells, limitsOf: () => ({}) }
  const rowOf = (word: string | undefined): number | undefined => {
    if (word === undefined) return undefined
    const row = cells.rows.findIndex((_, index) => cells.at(index, wanted.column) === word)
    if (row >= 0) return row
    const message = `is "${word}" in no row: correct limitRows of the mapping`
    throw new ReadError([{ path: [wanted.column], message }])
  }
  const [lower, upper, units] = [rowOf(wanted.lower), rowOf(wanted.upper), rowOf(wanted.units)]
  const taken = new Set([lower, upper, units])
  return {
    values: cells.pick(cells.rows.filter((_, index) => !taken.has(index))),
    limitsOf: (column) => ({
      lower: lower === undefined ? undefined : cells.number(lower, column),
      upper: upper === undefined ? undefined : cells.number(upper, column),
      units: units === undefined ? undefined : cells.at(units, column),
    }),
  }
}
