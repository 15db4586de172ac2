/** What takes other threads longer is not tried at once, in milliseconds. */
const SLOW_MS = 250

export interface FilePaceSettings {
  /** What takes longer when it is done at once is not done so again for a while, in milliseconds. */
  slowMs: number
  /** For how many times as long: it may be so again. */
  patience: number
}

/** Several threads do faster together what takes longer by itself, and nothing is held up by it. */
const STRICT: FilePaceSettings = { slowMs: 10, patience: 50 }

/** How long things are done at once before whatever else the process has to do gets its turn, in milliseconds. */
const TURN_MS = 5

/**
 * How small work on files is done: at once where they have shown to answer quickly, since handing each step to another
 * thread, as Node does otherwise, costs several times what it takes; else (a network folder) by those threads. Errors are
 * the system's.
 */
export class FilePace {
  #isQuick = false
  #patientUntilMs = -Infinity
  #busyMs = 0
  #turn: Promise<void> | undefined

  constructor(private readonly settings = STRICT) {}

  get isQuick(): boolean {
    return this.#isQuick && performance.now() >= this.#patientUntilMs
  }

  /** Does something small in either way; however much of it there is, others get their turn in between. */
  async do<Result>(atOnce: () => Result, patiently: () => Promise<Result>): Promise<Result> {
    while (this.#turn) await this.#turn
    if (!this.isQuick) return this.find(patiently)
    try {
      return this.doAtOnce(atOnce)
    } finally {
      if (this.#busyMs > TURN_MS) this.#giveTurn()
    }
  }

  /** Does something small at once, and finds out how long that takes. */
  doAtOnce<Result>(action: () => Result): Result {
    const startedAtMs = performance.now()
    try {
      return action()
    } finally {
      const tookMs = performance.now() - startedAtMs
      const { slowMs, patience } = this.settings
      this.#busyMs += tookMs
      this.#isQuick = tookMs < slowMs
      if (!this.#isQuick) this.#patientUntilMs = startedAtMs + tookMs * (1 + patience)
    }
  }

  /** Does something that other threads do, and finds out how long that takes: what was slow may have been so for a moment. */
  async find<Result>(patiently: () => Promise<Result>): Promise<Result> {
    const startedAtMs = performance.now()
    const result = await patiently()
    this.#isQuick = performance.now() - startedAtMs < SLOW_MS
    return result
  }

  #giveTurn(): void {
    this.#busyMs = 0
    this.#turn ??= this.#wait()
  }

  async #wait(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    this.#turn = undefined
  }
}
