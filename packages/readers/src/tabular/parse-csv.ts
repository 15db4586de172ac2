import type { Pace, TabularMapping } from '@runledger/protocol'
import { isUtf8 } from 'node:buffer'
import { fileOf, ReadError } from '../read-error'
import { checkText } from '../standard-json'

/** A row that is not empty. */
export interface Row {
  /** Counted from 1, the header and empty rows included. */
  number: number
  cells: readonly string[]
}

/** A file of rows below a header. */
export interface Table {
  /** The index of each column, by its name. */
  columns: ReadonlyMap<string, number>
  rows: readonly Row[]
  /** The row that names the columns, counted from 1. */
  headerRow: number
  /** Numbers have a decimal comma, as is usual where `;` divides the columns. */
  hasDecimalComma: boolean
}

const MAX_ROWS = 100_000
const MAX_COLUMNS = 2_000
/** In all rows: enough for 100,000 measurements, one a row. */
const MAX_CELLS = 1_000_000
const MAX_LINE_LOOKED_AT = 64 * 1024

/** The layout, where the file itself does not show it. */
export type CsvLayout = Pick<TabularMapping, 'encoding' | 'delimiter' | 'decimal' | 'headerRow'>

/** Reads CSV: columns divided by `,`, `;` or a tab, texts that hold one in quotes, a header first. @throws ReadError */
export async function parseCsv(bytes: Uint8Array, layout: CsvLayout, pace?: Pace): Promise<Table> {
  const { headerRow = 1, decimal } = layout
  const text = decode(bytes, layout.encoding)
  const delimiter = layout.delimiter ?? findDelimiter(text, headerRow)
  const all = await readRows(text, delimiter, pace)
  const [header, ...rows] = all.filter(({ number }) => number >= headerRow)
  if (header?.number !== headerRow && headerRow > 1)
    throw fileOf(`headerRow is ${headerRow}, and the file has nothing in that row.`)
  const columns = new Map<string, number>()
  for (const [index, sent] of header?.cells.entries() ?? []) {
    const name = sent.trim()
    if (columns.has(name) && name !== '')
      throw new ReadError([{ path: [`row ${header?.number}`], message: `names the column "${name}" twice` }])
    columns.set(name, index)
  }
  if (rows.length === 0) throw fileOf('The file has no row below its header.')
  const namedTo = Math.max(0, ...[...columns].map(([name, index]) => (name === '' ? 0 : index + 1)))
  if (hasLastLine(text, delimiter)) refuseHalf(rows.at(-1), namedTo)
  const hasDecimalComma = decimal === undefined ? delimiter === ';' : decimal === ','
  return { columns, rows, headerRow: header?.number ?? headerRow, hasDecimalComma }
}

/** Whether the text has a last line without a line end. */
function hasLastLine(text: string, delimiter: string): boolean {
  const line = text.slice(Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1)
  return line.includes(delimiter) || line.trim() !== ''
}

/** A last row without a line end may be half written. A cut within its last cell cannot be seen. */
function refuseHalf(row: Row | undefined, expected: number): void {
  if (row === undefined || row.cells.length >= expected) return
  const message = `breaks off after ${row.cells.length} of ${expected} cells`
  throw new ReadError([{ path: [`row ${row.number}`], message }])
}

function decode(bytes: Uint8Array, encoding: TabularMapping['encoding']): string {
  if (encoding !== undefined && encoding !== 'utf-8') return new TextDecoder(encoding).decode(bytes)
  checkText(bytes)
  if (!isUtf8(bytes))
    throw fileOf('The file is not UTF-8: write it as UTF-8, or say its encoding in the mapping.')
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}

function findDelimiter(text: string, headerRow: number): string {
  const lines = text.slice(0, MAX_LINE_LOOKED_AT).split(/\r\n|\r|\n/, headerRow)
  const line = (lines[headerRow - 1] ?? '').replaceAll(/"[^"]*"/g, '')
  const counts = [',', ';', '\t'].map((one) => ({ one, count: line.split(one).length }))
  return counts.reduce((best, other) => (other.count > best.count ? other : best)).one
}

/** Rows that are not empty. */
async function readRows(text: string, delimiter: string, pace: Pace | undefined): Promise<Row[]> {
  const rows: Row[] = []
  let number = 0
  let count = 0
  let at = 0
  while (at < text.length) {
    number += 1
    const { cells, next } = readRow(text, at, { delimiter, number })
    at = next
    count += cells.length
    if (count > MAX_CELLS) throw fileOf(`The file has more than ${MAX_CELLS} cells: split it.`)
    if (cells.length > 1 || cells[0]?.trim()) rows.push({ number, cells })
    if (rows.length > MAX_ROWS + 1) throw fileOf(`The file has more than ${MAX_ROWS} rows: split it.`)
    if (pace?.isOver) await pace.rest()
  }
  return rows
}

interface RowPlace {
  delimiter: string
  number: number
}

function readRow(text: string, start: number, place: RowPlace): { cells: string[]; next: number } {
  const cells: string[] = []
  let at = start
  for (;;) {
    const { cell, end } =
      text[at] === '"' ? readQuoted(text, at, place) : readPlain(text, at, place.delimiter)
    cells.push(cell)
    if (cells.length > MAX_COLUMNS) throw tooMany(place)
    if (text[end] !== place.delimiter) return { cells, next: skipLineEnd(text, end) }
    at = end + 1
  }
}

function tooMany({ number }: RowPlace): ReadError {
  return new ReadError([{ path: [`row ${number}`], message: `has more than ${MAX_COLUMNS} columns` }])
}

function readPlain(text: string, start: number, delimiter: string): { cell: string; end: number } {
  let end = start
  while (end < text.length && text[end] !== delimiter && text[end] !== '\n' && text[end] !== '\r') end += 1
  return { cell: text.slice(start, end), end }
}

function readQuoted(
  text: string,
  start: number,
  { delimiter, number }: RowPlace,
): { cell: string; end: number } {
  let end = start + 1
  for (;;) {
    end = text.indexOf('"', end)
    if (end < 0) throw new ReadError([{ path: [`row ${number}`], message: 'has a quote that never ends' }])
    if (text[end + 1] !== '"') break
    end += 2
  }
  const rest = readPlain(text, end + 1, delimiter)
  return { cell: text.slice(start + 1, end).replaceAll('""', '"') + rest.cell, end: rest.end }
}

function skipLineEnd(text: string, end: number): number {
  return text.startsWith('\r\n', end) ? end + 2 : end + 1
}
