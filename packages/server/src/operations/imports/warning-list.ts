/** Each run may have its own. */
const MAX_WARNINGS = 50

/** Where a run begins in a file of several. */
const PLACE = /^(?:report|line|row|byte) \d+/

/** The warnings to the runs of a file: the first ones, and the number of the others. */
export class WarningList {
  readonly #told = new Map<string, { text: string; count: number }>()
  #more = 0

  /** Those of one run. What is said of several runs, and differs only in their place, is told once. */
  add(texts: readonly string[] = [], more = 0): void {
    this.#more += more
    const counts = new Map<string, number>()
    for (const text of new Set(texts)) {
      const kind = text.replace(PLACE, '')
      const count = counts.get(kind) ?? 0
      counts.set(kind, count + 1)
      // A run that says the same of two places says it twice.
      const key = `${count} ${kind}`
      const known = this.#told.get(key)
      if (known === undefined) this.#told.set(key, { text, count: 1 })
      // Without a place, it is said of the file.
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
