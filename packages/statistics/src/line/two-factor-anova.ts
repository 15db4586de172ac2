import { fTail } from './distributions'
import { meanOf, sumOf } from './summary'

export interface Variation {
  readonly squares: number
  readonly freedom: number
  /** Undefined without a degree of freedom. */
  readonly meanSquare: number | undefined
  /** From an F-test against the error; undefined without one. */
  readonly f: number | undefined
  readonly pValue: number | undefined
}

/** Analysis of variance of two crossed factors, with equally many values in each cell. */
export interface TwoFactorAnova {
  readonly rows: Variation
  readonly columns: Variation
  readonly interaction: Variation
  readonly error: Variation
}

/**
 * `cells[row][column]` are the values of one pair of levels; each has as many. Rows and columns are tested against the error as R's
 * `aov` does it; with one value in a cell the interaction is the error.
 * Source: NIST/SEMATECH e-Handbook, 7.4.3.7.
 * @throws RangeError when cells have different numbers of values, or none.
 */
export function twoFactorAnova(cells: readonly (readonly (readonly number[])[])[]): TwoFactorAnova {
  const { a, b, r } = sizeOf(cells)
  const mean = meanOf(cells.flat(2))
  const rowMeans = cells.map((row) => meanOf(row.flat()))
  const columnMeans = (cells[0] ?? []).map((_, j) => meanOf(cells.flatMap((row) => row[j] ?? [])))
  const squares = { rows: 0, columns: 0, interaction: 0, error: 0 }
  squares.rows = b * r * sumOf(rowMeans.map((row) => (row - mean) ** 2))
  squares.columns = a * r * sumOf(columnMeans.map((column) => (column - mean) ** 2))
  for (const [i, row] of cells.entries())
    for (const [j, values] of row.entries()) {
      const cell = meanOf(values)
      squares.interaction += r * (cell - (rowMeans[i] ?? 0) - (columnMeans[j] ?? 0) + mean) ** 2
      squares.error += sumOf(values.map((value) => (value - cell) ** 2))
    }
  const interaction = source(squares.interaction, (a - 1) * (b - 1))
  const error = source(squares.error, a * b * (r - 1))
  const base = r === 1 ? interaction : error
  return {
    rows: test(source(squares.rows, a - 1), base),
    columns: test(source(squares.columns, b - 1), base),
    interaction: r === 1 ? interaction : test(interaction, base),
    error,
  }
}

function sizeOf(cells: readonly (readonly (readonly number[])[])[]): { a: number; b: number; r: number } {
  const b = cells[0]?.length ?? 0
  const r = cells[0]?.[0]?.length ?? 0
  if (r === 0 || cells.some((row) => row.length !== b || row.some((values) => values.length !== r)))
    throw new RangeError('each pair of levels needs the same number of values, at least one')
  return { a: cells.length, b, r }
}

function source(squares: number, freedom: number): Variation {
  const meanSquare = freedom === 0 ? undefined : squares / freedom
  return { squares, freedom, meanSquare, f: undefined, pValue: undefined }
}

function test(of: Variation, error: Variation): Variation {
  if (of.meanSquare === undefined || error.meanSquare === undefined || error.meanSquare === 0) return of
  const f = of.meanSquare / error.meanSquare
  return { ...of, f, pValue: fTail(f, { above: of.freedom, below: error.freedom }) }
}
