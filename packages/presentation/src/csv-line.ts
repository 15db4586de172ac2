/** Control characters that JSON leaves as they are, and what turns the direction of text around. */
export const OBEYED = /[\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g

/** A line of CSV (RFC 4180) in which no spreadsheet sees a formula. */
export function writeCsvLine(values: readonly unknown[]): string {
  return `${values.map(writeCell).join(',')}\r\n`
}

// All but tabs and line breaks; a terminal would obey them.
const CONTROLS = new RegExp(`[\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F]|${OBEYED.source}`, 'g')

/** Where a spreadsheet could see a formula: at a cell's beginning, and after signs that end cells in other dialects. */
const FORMULA = /(^|[;\t\r\n])([ \u00A0\u3000]*[=+\-@＝＋－＠])/g

function writeCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number') return String(value)
  const text = (typeof value === 'string' ? value : JSON.stringify(value)).replace(CONTROLS, '\uFFFD')
  const safe = text.replace(FORMULA, "$1'$2")
  return /[",;\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
