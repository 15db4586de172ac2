import { formatTimestampMs } from '@runledger/protocol'
import { formatLimits, formatValue } from '../test-side/limits'
import type { Said } from '../test-side/said'
import type { Lines } from './log-writer'
import { nameSaid, nameUnit } from './said'

/** Adds what an attempt said to a suite's log, a line for each call in their order. */
export function addSaid(lines: Lines, said: readonly Said[] | undefined, margin: string): void {
  if (said === undefined) return
  for (const each of [...said].sort((a, b) => a.order - b.order)) {
    const [first = '', ...others] = describe(each).split(/\r?\n/)
    lines.push(`${margin}${WORDS[each.kind]} ${formatTimestampMs(each.atMs)}  ${first}`)
    for (const line of others) lines.push(`${margin}  | ${line}`)
  }
}

const WORDS: Record<Said['kind'], string> = {
  measurement: 'measured',
  step: 'step',
  variable: 'variable',
  'sub-unit': 'sub-unit',
  unit: 'unit',
  log: 'log',
}

function describe(said: Said): string {
  switch (said.kind) {
    case 'measurement': {
      const limits = formatLimits(said)
      const verdict = said.passed ? '✓' : '✗'
      const judged = limits === '' ? '' : ` (${limits})`
      return `${verdict} ${nameSaid(said)} = ${formatValue(said.value, said)}${judged}`
    }
    case 'step':
      return `${said.passed ? '✓' : '✗'} ${nameSaid(said)} (${Math.round(said.durationMs)} ms)`
    case 'variable':
      return `${said.name} = ${said.value}`
    case 'sub-unit':
      return said.serialNumber
    case 'unit':
      return nameUnit(said)
    case 'log':
      return said.message
  }
}
