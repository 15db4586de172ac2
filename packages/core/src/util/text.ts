import { stripVTControlCharacters } from 'node:util'

const ESCAPE = /[\u001B\u009B]/

/** Characters that reverse the direction of the text after them, to the end of the line. */
const DIRECTION_MARKS = /[\u202A-\u202E\u2066-\u2069]/g

const UNNAMED = '(unnamed)'

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

/** A text of somebody else's (a service, a test) in one line that cannot colour the terminal or move its cursor. */
export function toPlainLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(DIRECTION_MARKS, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

/** A title fit for a record: no escape sequences, control characters or lone surrogates, white space folded, never empty. */
export function cleanName(title: string): string {
  const clean = stripVTControlCharacters(title)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return clean === '' ? UNNAMED : clean
}

/** What a JSON text says; undefined for a text that is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An address fit for messages: no query string (upload addresses are signed there), no user or password. */
export function withoutQuery(url: string): string {
  try {
    const { origin, pathname } = new URL(url)
    return `${origin}${pathname}`
  } catch {
    return '(an address that cannot be read)'
  }
}

/** The form in which addresses of services are stored and compared: no user, no password, no slash at the end. */
export function normalizeServiceUrl(url: string): string {
  return withoutQuery(url).replace(/\/+$/, '')
}
