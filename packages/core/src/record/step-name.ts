import { joinStepName } from '@runledger/protocol'
import { cleanName } from '../util/text'

export function formatStepName(titles: readonly string[]): string {
  return joinStepName(titles.map(cleanName)) || cleanName('')
}

/** Makes names unique in one run: equal ones get ` (2)`, ` (3)`, … */
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
