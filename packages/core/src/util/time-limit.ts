/** A signal that aborts when the time is over or the outer signal aborts; `stop` ends the watch on both. */
export interface TimeLimit {
  signal: AbortSignal
  stop: () => void
  /** The process may end before the time is over. */
  unref: () => void
}

/** Starts a time limit inside an outer one; `timeoutMs` in milliseconds, below 2^31. */
export function startTimeLimit(timeoutMs: number, outer?: AbortSignal): TimeLimit {
  const controller = new AbortController()
  const cut = (): void => controller.abort()
  const timer = setTimeout(cut, timeoutMs)
  outer?.addEventListener('abort', cut, { once: true })
  if (outer?.aborted) cut()
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', cut)
    },
    unref: () => void timer.unref(),
  }
}

/** Waits, or returns at once when the signal aborts; in the background it does not keep the process alive. */
export function wait(delayMs: number, signal: AbortSignal, isBackground = false): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      clearTimeout(timer)
      signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = setTimeout(finish, delayMs)
    if (isBackground) timer.unref()
    signal.addEventListener('abort', finish)
    if (signal.aborted) finish()
  })
}
