import type { MeasurementOutcome, PhaseOutcome, RunOutcome, TextField } from '@runledger/protocol'
import { type FilePath, ReadError } from '../read-error'
import type { TimeReader } from '../times'
import type { Row, Table } from './parse-csv'

/** Looks values up in a table, whose rows are counted from 0. */
export class Cells {
  readonly #table: Table
  readonly #times: TimeReader
  /** The common value of all rows in a column, for columns that were read. */
  readonly #same = new Map<string, string | undefined>()

  constructor(table: Table, times: TimeReader) {
    this.#table = table
    this.#times = times
  }

  pick(rows: readonly Row[]): Cells {
    return new Cells({ ...this.#table, rows }, this.#times)
  }

  get rows(): readonly Row[] {
    return this.#table.rows
  }

  get rowCount(): number {
    return this.#table.rows.length
  }

  /** Undefined where the cell is empty. @throws ReadError for an unknown column */
  at(row: number, column: string | undefined): string | undefined {
    if (column === undefined) return undefined
    const index = this.#table.columns.get(column.trim())
    if (index === undefined) {
      const known = [...this.#table.columns.keys()].slice(0, 20).join(', ')
      throw new ReadError([
        { path: [`row ${this.#table.headerRow}`], message: `has no column "${column}": it has ${known}` },
      ])
    }
    return this.#table.rows[row]?.cells[index]?.trim() || undefined
  }

  /** The row and column as the file counts them. */
  placeOf(row: number, column = ''): FilePath {
    return [`row ${this.#table.rows[row]?.number}`, column]
  }

  /** A number; undefined where the cell is empty. @throws ReadError */
  number(row: number, column: string | undefined): number | undefined {
    const text = this.at(row, column)
    if (text === undefined) return undefined
    const value = this.parseNumber(text)
    if (value !== undefined) return value
    throw new ReadError([{ path: this.placeOf(row, column), message: `is "${text}": it must be a number` }])
  }

  parseNumber(text: string): number | undefined {
    const plain = this.#table.hasDecimalComma ? text.replace(',', '.') : text
    return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(plain) && Number.isFinite(Number(plain))
      ? Number(plain)
      : undefined
  }

  /** A time in UTC; undefined where the cell is empty. @throws ReadError */
  time(row: number, column: string | undefined): string | undefined {
    const text = this.at(row, column)
    return text === undefined ? undefined : this.readTime(text, this.placeOf(row, column))
  }

  /** @throws ReadError */
  readTime(text: string, at: FilePath): string {
    const time = this.#times.read(text)
    if (time !== undefined) return time
    throw new ReadError([
      {
        path: at,
        message: `is "${text}": it must be a time such as 2026-11-20T09:30:00Z, or as timeFormat says`,
      },
    ])
  }

  /** Whether a time that was read had no zone. */
  get hasLocalTimes(): boolean {
    return this.#times.hasLocal
  }

  field(row: number, field: TextField | undefined): string | undefined {
    if (field === undefined) return undefined
    if ('value' in field) return field.value
    const columns = 'column' in field ? [field.column] : field.columns
    return columns.flatMap((column) => this.at(row, column) ?? []).join(' ') || undefined
  }

  /** A field of the run: all rows must agree. @throws ReadError */
  same(field: TextField | undefined): string | undefined {
    if (field === undefined) return undefined
    if ('value' in field) return field.value
    if ('columns' in field)
      return field.columns.flatMap((column) => this.same({ column }) ?? []).join(' ') || undefined
    const { column } = field
    // Many fields may be of one column, of which there may be many rows.
    if (!this.#same.has(column)) this.#same.set(column, this.#readSame(column))
    return this.#same.get(column)
  }

  #readSame(column: string): string | undefined {
    let found: string | undefined
    for (let row = 0; row < this.rowCount; row += 1) {
      const text = this.at(row, column)
      if (text === undefined || text === found) continue
      if (found !== undefined)
        throw new ReadError([
          {
            path: this.placeOf(row, column),
            message: `is "${text}" and above it "${found}": these rows are one run. Split the file, or say in the mapping's runs what one run is`,
          },
        ])
      found = text
    }
    return found
  }
}

const PASSED = new Set(['pass', 'passed', 'ok', 'true', 'good', 'yes'])
const FAILED = new Set(['fail', 'failed', 'nok', 'ng', 'false', 'bad', 'no'])

type AnyOutcome = RunOutcome | PhaseOutcome | MeasurementOutcome

/** Reads a verdict by `valueMap`, our names or common words. Refuses 0 and 1: 0 may mean a failure or no error. @throws ReadError */
export function readOutcome<Outcome extends AnyOutcome>(
  text: string,
  {
    at,
    known,
    valueMap = {},
  }: { at: FilePath; known: readonly Outcome[]; valueMap?: Record<string, Outcome> | undefined },
): Outcome {
  if (Object.hasOwn(valueMap, text)) return valueMap[text] as Outcome
  const own = known.find((outcome) => outcome === text.toUpperCase())
  if (own !== undefined) return own
  const word = text.toLowerCase()
  if (PASSED.has(word)) return 'PASS' as Outcome
  if (FAILED.has(word)) return 'FAIL' as Outcome
  const message = `is "${text}": it must be one of ${known.join(', ')}, or be in valueMap`
  throw new ReadError([{ path: at, message }])
}
