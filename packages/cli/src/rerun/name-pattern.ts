import { MAX_STEP_NAME_LENGTH, STEP_NAME_SEPARATOR } from '@runledger/protocol'
import { escapePattern } from '@runledger/presentation'

/** The record folds white space and control characters of a title into one space. */
const SPACE = String.raw`[\s\x00-\x1f\x7f-\x9f]`
/** Around a title, the record also removes escape sequences of a terminal. */
const EDGE = String.raw`(?:${SPACE}|\[[\d;]*m)`
const ANYTHING = '[^]*'

export const START = `${EDGE}*`
export const END = `${EDGE}*`
/** Frameworks join titles by a space, Vitest 5 by ` > `; a title may have the separator of the record in it. */
export const BETWEEN = `${EDGE}+(?:[›>]${EDGE}+)?`

/**
 * A regular expression for every name that the record writes as this one, the titles joined as the framework joins them: it may match
 * names of other tests, too. `between` matches what is between two titles.
 */
export function namePattern(name: string, between = BETWEEN): string {
  const [, base = name, numbers = ''] = /^(.+?)((?: \(\d+\))*)$/s.exec(name) ?? []
  // Equal names are numbered on the record; a number may also be of the title.
  const numbered = [...numbers.matchAll(/ \((\d+)\)/g)].map(([, number]) => `(?:${SPACE}+\\(${number}\\))?`)
  const isCut = base.length >= MAX_STEP_NAME_LENGTH - 2 && base.endsWith('…')
  const titles = (isCut ? base.slice(0, -1) : base).split(STEP_NAME_SEPARATOR)
  return titles.map(titlePattern).join(between) + (isCut ? ANYTHING : '') + numbered.join('')
}

/** What may be the title of the test itself, which can have the separator in it. */
export function listOwnTitles(name: string): string[] {
  const parts = name.split(STEP_NAME_SEPARATOR)
  return parts.map((_, index) => parts.slice(index).join(STEP_NAME_SEPARATOR))
}

const SECRET = escapePattern('***')
/** Shells obey these even between quotes, and scripts of package managers are run by shells. */
const SHELL_CHARACTER = /\\\$|["%`!]/g

function titlePattern(title: string): string {
  if (title === '(unnamed)') return String.raw`(?:\(unnamed\))?`
  return escapePattern(title)
    .replaceAll(SECRET, ANYTHING)
    .replaceAll(SHELL_CHARACTER, '.')
    .replaceAll('\ufffd', String.raw`[\ufffd\ud800-\udfff]`)
    .replaceAll(' ', `${SPACE}+`)
}
