import { toPlainLine } from '@runledger/core/tools'

/** Rows under their heads, each column as wide as it must be; the last one is left as long as it is. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows.map((row) => row.map(toPlainLine))]
  const widths = heads.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  return all
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n')
}

/** A number and its noun. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

const UNITS = ['B', 'kB', 'MB', 'GB']

export function formatBytes(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}
