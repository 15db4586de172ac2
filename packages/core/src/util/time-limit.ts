import { once } from 'node:events'

/** A signal that aborts when the time is over or an outer signal aborts; `stop` ends the watch on all of them. */
export interface TimeLimit {
  signal: AbortSignal
  stop: () => void
}

/**
 * Starts a time limit inside outer ones; `timeoutMs` in milliseconds, below 2^31. Given an `AbortSignal.timeout`,
 * `AbortSignal.any` would be shorter, but on Node 20 the garbage collector takes both, and nothing aborts.
 */
export function startTimeLimit(timeoutMs: number, ...outer: AbortSignal[]): TimeLimit {
  const controller = new AbortController()
  const cut = (): void => controller.abort()
  const timer = setTimeout(cut, timeoutMs)
  for (const signal of outer) {
    signal.addEventListener('abort', cut, { once: true })
    if (signal.aborted) cut()
  }
  return {
    signal: controller.signal,
    stop: () => {
      clearTimeout(timer)
      for (const signal of outer) signal.removeEventListener('abort', cut)
    },
  }
}

/** Waits, or returns at once when one of the signals aborts. */
export async function wait(delayMs: number, ...stops: AbortSignal[]): Promise<void> {
  const { signal, stop } = startTimeLimit(delayMs, ...stops)
  if (!signal.aborted) await once(signal, 'abort')
  stop()
}

/** False when the work takes longer; it goes on then. Rejects as the work does. */
export async function finishesWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, false)
  })
  try {
    return await Promise.race([work.then(() => true as const), timeout])
  } finally {
    clearTimeout(timer)
  }
}
