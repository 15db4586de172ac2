import { toPlainText } from '@runledger/presentation'

/** A part of a line that has one look. */
export interface LinePart {
  text: string
  className: string
}

const COLORS: Record<number, string> = {
  30: 'text-soft',
  31: 'text-bad',
  32: 'text-good',
  33: 'text-warn',
  34: 'text-accent',
  35: 'text-accent',
  36: 'text-accent',
  37: '',
  90: 'text-soft',
  91: 'text-bad',
  92: 'text-good',
  93: 'text-warn',
  94: 'text-accent',
  95: 'text-accent',
  96: 'text-accent',
  97: '',
}
const SGR = /\u001b\[([\d;:]*)m/g

/** A line of a terminal in the page's own colours; what a terminal does besides colours and weight is left out. */
export function parseAnsiLine(line: string): LinePart[] {
  const parts: LinePart[] = []
  const look: Look = { color: '', isBold: false, isDim: false }
  let end = 0
  for (const match of line.matchAll(SGR)) {
    addPart(parts, line.slice(end, match.index), look)
    applyCodes(look, (match[1] ?? '').split(/[;:]/).map(Number))
    end = match.index + match[0].length
  }
  addPart(parts, line.slice(end), look)
  return parts
}

interface Look {
  color: string
  isBold: boolean
  isDim: boolean
}

function addPart(parts: LinePart[], raw: string, { color, isBold, isDim }: Look): void {
  const text = toPlainText(raw)
  if (text === '') return
  const className = [color === '' && isDim ? 'text-soft' : color, isBold ? 'font-semibold' : '']
  parts.push({ text, className: className.filter(Boolean).join(' ') })
}

function applyCodes(look: Look, codes: number[]): void {
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? 0
    if (code === 0) Object.assign(look, { color: '', isBold: false, isDim: false })
    else if (code === 1) look.isBold = true
    else if (code === 2) look.isDim = true
    else if (code === 22) Object.assign(look, { isBold: false, isDim: false })
    else if (code === 39) look.color = ''
    // A colour by number or by its parts: it might be unreadable here, so the text keeps the page's own.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4
    else look.color = COLORS[code] ?? look.color
  }
}
