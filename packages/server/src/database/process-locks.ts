/** Lets one piece of work run at a time for each name, in the order asked: for a database that one process serves. */
export class ProcessLocks {
  readonly #last = new Map<string, Promise<unknown>>()

  /** In the order of the names, so that two who need the same never wait for each other. */
  withLocks<Result>(names: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return this.#withSorted([...new Set(names)].toSorted(), work)
  }

  #withSorted<Result>([name, ...rest]: readonly string[], work: () => Promise<Result>): Promise<Result> {
    return name === undefined ? work() : this.#withLock(name, () => this.#withSorted(rest, work))
  }

  async #withLock<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const result = (this.#last.get(name) ?? Promise.resolve()).then(work)
    const settled = result.catch(() => undefined)
    this.#last.set(name, settled)
    try {
      return await result
    } finally {
      if (this.#last.get(name) === settled) this.#last.delete(name)
    }
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
