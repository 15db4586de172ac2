const SHORTEST_PAUSE_MS = 1_000
/** The pause is at least this many times as long as a call, so that it costs at most two percent. */
const PAUSE_FACTOR = 50
/** And this share of the time since the start, because each call writes the whole file again. */
const PAUSE_SHARE = 0.25

/**
 * Calls `keep` every second, later less often, and at process exit. At Ctrl+C Jest dies by the signal without calling
 * reporters. A signal handler would run only when a test yields, and until then Ctrl+C would have no effect.
 */
export class UnfinishedKeeper {
  #timer: NodeJS.Timeout | undefined
  #startedAtMs = 0

  constructor(private readonly keep: () => void) {}

  start(): void {
    if (this.#timer !== undefined) return
    process.once('exit', this.keep)
    this.#startedAtMs = performance.now()
    this.#plan(SHORTEST_PAUSE_MS)
  }

  stop(): void {
    process.off('exit', this.keep)
    clearTimeout(this.#timer)
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const startedAtMs = performance.now()
      this.keep()
      const nowMs = performance.now()
      const tookMs = nowMs - startedAtMs
      const share = PAUSE_SHARE * (nowMs - this.#startedAtMs)
      this.#plan(Math.max(SHORTEST_PAUSE_MS, PAUSE_FACTOR * tookMs, share))
    }, delayMs).unref()
  }
}
