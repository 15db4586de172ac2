import { stripVTControlCharacters } from 'node:util'

/** A text of somebody else's (a service, a test) in one line, which cannot colour the terminal nor move about in it. */
export function toPlainLine(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}
