import { stripVTControlCharacters } from 'node:util'

const ESCAPE = /[\u001B\u009B]/

/** Strips each line by itself: a sequence without an end takes nothing of the next line, as on Node 24. */
export function stripEscapes(text: string): string {
  if (!ESCAPE.test(text)) return text
  return text
    .split('\n')
    .map((line) => stripVTControlCharacters(line))
    .join('\n')
}

export function escapePattern(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
}
