import { cutWell, MAX_TEXT_LENGTH } from '@runledger/protocol'
import type { Notes } from './notes'
import type { FilePath } from './read-error'

/** Room for the number of a name that is taken. */
const MAX_NAME_LENGTH = MAX_TEXT_LENGTH - 20

/** Names of metadata as they may be stored, each once: what differs only beyond its cut, or in what is removed, gets a number. */
export class UniqueNames {
  readonly #taken = new Set<string>()
  readonly #counts = new Map<string, number>()

  constructor(private readonly notes: Notes) {}

  take(sent: string, at: FilePath): string {
    const name = cutWell(this.notes.text(sent, at), MAX_NAME_LENGTH)
    let [unique, count] = [name, this.#counts.get(name) ?? 1]
    for (; this.#taken.has(unique); unique = `${name} (${count})`) count += 1
    this.#counts.set(name, count)
    this.#taken.add(unique)
    return unique
  }
}
