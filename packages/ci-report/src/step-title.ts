import { stripVTControlCharacters } from 'node:util'
import { cutWell } from '@runledger/protocol'

const MAX_TITLE_LENGTH = 500

/** The title of a test: those of its groups and its own, in one line. */
export function formatStepTitle(titles: readonly string[]): string {
  const title = titles.map(cleanName).join(' › ') || cleanName('')
  return title.length <= MAX_TITLE_LENGTH ? title : `${cutWell(title, MAX_TITLE_LENGTH - 1)}…`
}

/** A name in one line: no escape sequences, control characters or lone surrogates, never empty. */
export function cleanName(name: string): string {
  const clean = stripVTControlCharacters(name)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return clean === '' ? '(unnamed)' : clean
}
