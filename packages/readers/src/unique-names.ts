import { cutWell, MAX_TEXT_LENGTH } from '@runledger/protocol'
import type { Notes } from './notes'
import type { FilePath } from './read-error'

/** Leaves room for the number that is added to a name in use. */
const MAX_NAME_LENGTH = MAX_TEXT_LENGTH - 20

/** Makes names of metadata storable and unique. Names that become equal because they are cut or cleaned get a number. */
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
