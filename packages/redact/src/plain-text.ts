import { stripVTControlCharacters } from 'node:util'

const ESCAPE = /[\u001B\u009B]/

/**
 * A text without escape sequences. Each line is stripped by itself: a sequence without an end takes nothing of the next
 * line, as it does on Node 24.
 */
export function stripEscapes(text: string): string {
  if (!ESCAPE.test(text)) return text
  return text
    .split('\n')
    .map((line) => stripVTControlCharacters(line))
    .join('\n')
}

/** A pattern that matches exactly this text. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
