const EVERY_MS = 1_000
/** The pause after a call is at least so many times as long as the call, so that it costs tests no more than two percent. */
const PAUSE_FACTOR = 50

/**
 * Calls `keep` every second, and when the process exits. At Ctrl+C Jest dies by the signal and calls no reporter. A handler
 * of that signal could do it at the last moment, but Node runs it only when a test yields: with a test that does not, in
 * Jest's own process, Ctrl+C would do nothing any more.
 */
export class UnfinishedKeeper {
  #timer: NodeJS.Timeout | undefined

  constructor(private readonly keep: () => void) {}

  start(): void {
    if (this.#timer !== undefined) return
    process.once('exit', this.keep)
    this.#plan(EVERY_MS)
  }

  stop(): void {
    process.off('exit', this.keep)
    clearTimeout(this.#timer)
  }

  #plan(delayMs: number): void {
    this.#timer = setTimeout(() => {
      const startedAtMs = performance.now()
      this.keep()
      this.#plan(Math.max(EVERY_MS, PAUSE_FACTOR * (performance.now() - startedAtMs)))
    }, delayMs).unref()
  }
}
