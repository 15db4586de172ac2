const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Resolves at the first signal. The second one has nobody who listens, and so ends the process at once. */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    const stop = () => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop)
      resolve()
    }
    for (const signal of STOP_SIGNALS) process.on(signal, stop)
  })
}
