import { once } from 'node:events'

export interface TimeLimit {
  signal: AbortSignal
  stop: () => void
}

/** `timeoutMs` is below 2^31 ms. Not `AbortSignal.any`: Node 20 garbage-collects it and nothing aborts. */
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

/** Returns at once if a signal aborts. */
export async function wait(delayMs: number, ...stops: AbortSignal[]): Promise<void> {
  const { signal, stop } = startTimeLimit(delayMs, ...stops)
  if (!signal.aborted) await once(signal, 'abort')
  stop()
}

/** False if the work takes longer; it continues. Rejects as the work does. */
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
