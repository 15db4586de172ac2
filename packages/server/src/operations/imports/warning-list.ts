/** Every run of a file may have its own warnings. */
const MAX_WARNINGS = 50

/** The place of a run in a file with several runs. */
const PLACE = /^(?:report|line|row|byte) \d+/

/** The warnings about the runs of a file: the first ones, and the number of the others. */
export class WarningList {
  readonly #told = new Map<string, { text: string; count: number }>()
  #more = 0

  /** Adds the warnings about one run. Warnings about several runs that differ only in the place of the run are joined. */
  add(texts: readonly string[] = [], more = 0): void {
    this.#more += more
    const counts = new Map<string, number>()
    for (const text of new Set(texts)) {
      const kind = text.replace(PLACE, '')
      const count = counts.get(kind) ?? 0
      counts.set(kind, count + 1)
      // Keeps equal warnings about two places of one run apart.
      const key = `${count} ${kind}`
      const known = this.#told.get(key)
      if (known === undefined) this.#told.set(key, { text, count: 1 })
      // A warning without a place is about the file, so it is not counted again.
      else if (kind !== text) known.count += 1
    }
  }

  list(): string[] | undefined {
    const all = [...this.#told.values()]
    const more = all.slice(MAX_WARNINGS).reduce((sum, { count }) => sum + count, this.#more)
    const told = all
      .slice(0, MAX_WARNINGS)
      .map(({ text, count }) => (count > 1 ? `${text} (and ${count - 1} more like this)` : text))
    if (more > 0) told.push(`${more} more warnings`)
    return told.length === 0 ? undefined : told
  }
}
