const SHORTEST_PAUSE_MS = 1_000
/** The pause after a call is at least so many times as long as the call, so that it costs tests no more than two percent. */
const PAUSE_FACTOR = 50
/** And so much of the time since the start: each call writes all of a file anew, so there are to be few in long executions. */
const PAUSE_SHARE = 0.25

/**
 * Calls `keep` every second, later less often, and when the process exits. At Ctrl+C Jest dies by the signal and calls no
 * reporter. A handler of that signal could do it at the last moment, but Node runs it only when a test yields: with a test
 * that does not, in Jest's own process, Ctrl+C would do nothing any more.
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
