import { cutWell } from '@runledger/protocol'
import { cleanName } from '../util/text'

/** Longest step name, in UTF-16 code units; longer ones are cut and end in `…`. */
export const MAX_STEP_NAME_LENGTH = 500

export const STEP_NAME_SEPARATOR = ' › '

/** A step's name: describe titles and test title joined by ` › `, cut at `MAX_STEP_NAME_LENGTH`. */
export function formatStepName(titles: readonly string[]): string {
  const name = titles.map(cleanName).join(STEP_NAME_SEPARATOR) || cleanName('')
  return name.length <= MAX_STEP_NAME_LENGTH ? name : `${cutWell(name, MAX_STEP_NAME_LENGTH - 1)}…`
}

/** Gives out names that are unique in one run: equal ones get ` (2)`, ` (3)`, … */
export class UniqueNames {
  readonly #taken = new Set<string>()
  readonly #counts = new Map<string, number>()

  /** `place` puts the number into a name, by default at its end. */
  take(name: string, place = (text: string, mark: string): string => text + mark): string {
    let count = this.#counts.get(name) ?? 1
    let unique = name
    while (this.#taken.has(unique)) {
      count += 1
      unique = place(name, ` (${count})`)
    }
    this.#counts.set(name, count)
    this.#taken.add(unique)
    return unique
  }
}
