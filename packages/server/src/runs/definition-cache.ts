const MAX_ENTRIES = 200_000

/** Keys of definitions by procedure and digest. It is filled only after the commit that made them. */
export class DefinitionCache {
  readonly #keys = new Map<string, number>()

  get(procedureId: number, digest: string): number | undefined {
    return this.#keys.get(`${procedureId} ${digest}`)
  }

  addAll(procedureId: number, definitions: ReadonlyMap<string, number>): void {
    if (this.#keys.size + definitions.size > MAX_ENTRIES) this.#keys.clear()
    for (const [digest, id] of definitions) this.#keys.set(`${procedureId} ${digest}`, id)
  }
}
