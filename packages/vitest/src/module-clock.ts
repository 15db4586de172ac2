/** When a module was first and last heard of, in milliseconds since the Unix epoch on the reporter's own clock. */
export interface ModuleTimes {
  firstAtMs: number
  /** Absent while the module has not ended. */
  endAtMs?: number | undefined
}

/** The reporter's own clock for modules: Vitest tells no start of theirs, and none at all when loading fails. */
export class ModuleClock {
  readonly #times = new Map<string, ModuleTimes>()

  constructor(private readonly now: () => number) {}

  note(moduleId: string): void {
    if (!this.#times.has(moduleId)) this.#times.set(moduleId, { firstAtMs: this.now() })
  }

  end(moduleId: string): void {
    this.note(moduleId)
    const times = this.#times.get(moduleId)
    if (times) times.endAtMs ??= this.now()
  }

  /** Undefined for a module that never began. */
  read(moduleId: string): ModuleTimes | undefined {
    return this.#times.get(moduleId)
  }
}
