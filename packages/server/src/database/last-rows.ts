import type { Query } from './database'

const MAX_REMEMBERED = 1000

/**
 * By which value the last rows of pages were sorted, as they were shown. A page that is asked for with a cursor begins
 * after that value, also when the row has changed or was deleted in the meantime. Lost with the process, and the oldest
 * first: then the row itself is asked.
 */
export class LastRows {
  readonly #values = new Map<string, unknown>()

  /** Those of a database. */
  static of(query: Query): LastRows {
    const known = lastRowsOf.get(query)
    if (known) return known
    const created = new LastRows()
    lastRowsOf.set(query, created)
    return created
  }

  /** Lets `query` know those of another query of the same database. */
  static share(known: Query, query: Query): void {
    lastRowsOf.set(query, LastRows.of(known))
  }

  /** `order` names a list and what it is sorted by. */
  note(order: string, key: number, value: unknown): void {
    const name = `${key} ${order}`
    this.#values.delete(name)
    this.#values.set(name, value)
    const [oldest] = this.#values.keys()
    if (this.#values.size > MAX_REMEMBERED && oldest !== undefined) this.#values.delete(oldest)
  }

  find(order: string, key: number): unknown {
    return this.#values.get(`${key} ${order}`)
  }
}

const lastRowsOf = new WeakMap<Query, LastRows>()
