import { stripVTControlCharacters } from 'node:util'

/** They turn the direction of the text after them around, to the end of the line. */
const TURNS = /[\u202A-\u202E\u2066-\u2069]/g

/** A text of somebody else's (a service, a test) in one line, which cannot colour the terminal nor move about in it. */
export function toPlainLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(TURNS, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}
