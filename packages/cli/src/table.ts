import { toPlainLine } from '@runledger/core/tools'

/** A table whose columns are as wide as their content; in a terminal the widest are cut until a row fits. */
export function formatTable(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  columns = Infinity,
): string {
  const all = [heads, ...rows.map((row) => row.map(toPlainLine))]
  const natural = heads.map((_, column) => Math.max(...all.map((row) => measureText(row[column] ?? ''))))
  const widths = fitWidths(natural, columns - GAP.length * (heads.length - 1))
  return all
    .map((row) => row.map((cell, column) => fitText(cell, widths[column] ?? 0)).join(GAP))
    .map((line) => line.trimEnd())
    .join('\n')
}

const GAP = '  '

/** A column is cut to this, and not further. */
const MIN_WIDTH = 12

/** Makes the widest columns narrower until all of them together have this width. */
function fitWidths(natural: readonly number[], total: number): number[] {
  const widths = [...natural]
  while (widths.reduce((sum, width) => sum + width, 0) > total) {
    const widest = Math.max(...widths)
    if (widest <= MIN_WIDTH) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

function fitText(text: string, width: number): string {
  const length = measureText(text)
  if (length <= width) return text + ' '.repeat(width - length)
  let kept = ''
  let room = width - 1
  for (const { segment } of GRAPHEMES.segment(text)) {
    room -= measureText(segment)
    if (room < 0) break
    kept += segment
  }
  return `${kept}…${' '.repeat(Math.max(0, width - 1 - measureText(kept)))}`
}

/** A text, cut where it is wider than a line has room for. */
export function cutText(text: string, width: number): string {
  return fitText(text, width).trimEnd()
}

const GRAPHEMES = new Intl.Segmenter()
const ASCII = /^[ -~]*$/
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}]/u

/** How many columns of a terminal a text takes: East Asian characters and emoji take two. */
function measureText(text: string): number {
  if (ASCII.test(text)) return text.length
  return [...GRAPHEMES.segment(text)].reduce((sum, { segment }) => sum + (WIDE.test(segment) ? 2 : 1), 0)
}

const SHORT_ID = 8

/** An id as long as a terminal's row allows: its beginning is enough to ask for the run. */
export function shortenId(id: string, columns: number | undefined): string {
  return columns === undefined ? id : id.slice(0, SHORT_ID)
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
