import { setTimeout as sleep } from 'node:timers/promises'

/** A signal that aborts when the time is over or the outer signal aborts; `stop` ends the watch on both. */
export interface TimeLimit {
  signal: AbortSignal
  stop: () => void
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
  }
}

/** Waits, or returns at once when the signal aborts. */
export async function wait(delayMs: number, signal: AbortSignal): Promise<void> {
  await sleep(delayMs, undefined, { signal }).catch(() => undefined)
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
