const MAX_ENTRIES = 200_000

/** Keys of definitions by procedure and text. It is filled only after the commit that made them. */
export class DefinitionCache {
  readonly #keys = new Map<string, number>()

  get(procedureId: number, text: string): number | undefined {
    return this.#keys.get(`${procedureId} ${text}`)
  }

  addAll(procedureId: number, definitions: ReadonlyMap<string, number>): void {
    if (this.#keys.size + definitions.size > MAX_ENTRIES) this.#keys.clear()
    for (const [text, id] of definitions) this.#keys.set(`${procedureId} ${text}`, id)
  }
}
