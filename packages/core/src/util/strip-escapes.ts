import { stripVTControlCharacters } from 'node:util'

const ESCAPE = /[\u001B\u009B]/

/**
 * A text of several lines without escape sequences, each line by itself: one that has no end takes nothing of the next
 * line, as it does on Node 24.
 */
export function stripEscapes(lines: string): string {
  if (!ESCAPE.test(lines)) return lines
  return lines
    .split('\n')
    .map((line) => (ESCAPE.test(line) ? stripVTControlCharacters(line) : line))
    .join('\n')
}
