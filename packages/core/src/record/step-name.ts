import { stripVTControlCharacters } from 'node:util'
import { cutWell } from '@runledger/protocol'

/** Longest step name, in UTF-16 code units; longer ones are cut and end in `…`. */
export const MAX_STEP_NAME_LENGTH = 500

const SEPARATOR = ' › '
const UNNAMED = '(unnamed)'

/** Nothing in it for `cleanName` to clean, be it one title or several that are joined: most are such. */
const CLEAN = /^[!-~\u203A]+(?: [!-~\u203A]+)*$/

/**
 * A title fit for a record: no ANSI codes, no control characters, no lone surrogates, white space folded,
 * never empty.
 */
export function cleanName(title: string): string {
  if (CLEAN.test(title)) return title
  const clean = stripVTControlCharacters(title)
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return clean === '' ? UNNAMED : clean
}

/** A step's name: describe titles and test title joined by ` › `, cut at `MAX_STEP_NAME_LENGTH`. */
export function formatStepName(titles: readonly string[]): string {
  return (
    joinCleanTitles(titles) ?? cutName(titles.length === 0 ? UNNAMED : titles.map(cleanName).join(SEPARATOR))
  )
}

/** The same where titles are a name as they are, as most are; undefined where something is to be cleaned or cut. */
export function joinCleanTitles(titles: readonly string[]): string | undefined {
  const name = titles.join(SEPARATOR)
  return name.length <= MAX_STEP_NAME_LENGTH && CLEAN.test(name) ? name : undefined
}

function cutName(name: string): string {
  return name.length <= MAX_STEP_NAME_LENGTH ? name : `${cutWell(name, MAX_STEP_NAME_LENGTH - 1)}…`
}

/** Gives out names that are unique in one run: equal ones get ` (2)`, ` (3)`, … */
export class UniqueNames {
  readonly #taken = new Set<string>()
  readonly #counts = new Map<string, number>()

  /** `place` puts the number into a name, by default at its end. */
  take(name: string, place: (name: string, mark: string) => string = appendMark): string {
    const { size } = this.#taken
    if (this.#taken.add(name).size > size) return name
    let count = this.#counts.get(name) ?? 1
    let numbered: string
    do {
      count += 1
      numbered = place(name, ` (${count})`)
    } while (this.#taken.has(numbered))
    this.#counts.set(name, count)
    this.#taken.add(numbered)
    return numbered
  }
}

function appendMark(name: string, mark: string): string {
  return name + mark
}
