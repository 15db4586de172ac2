import { stripVTControlCharacters } from 'node:util'
import { joinStepName } from '@runledger/protocol'

/** The title of a test, as its step is called on record. */
export function formatStepTitle(titles: readonly string[]): string {
  return joinStepName(titles.map(cleanName)) || cleanName('')
}

/** A name in one line: no escape sequences, control characters or lone surrogates, never empty. */
export function cleanName(name: string): string {
  const clean = stripVTControlCharacters(name)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return clean === '' ? '(unnamed)' : clean
}
