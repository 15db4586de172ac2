import { constants } from 'node:os'
import { END_SIGNALS } from '../process-group'

/** The first signal aborts `stop`. A second signal ends this process and the processes that it started at once. */
export async function untilStopped<Result>(act: (stop: AbortSignal) => Promise<Result>): Promise<Result> {
  const stopping = new AbortController()
  const onSignal = (signal: (typeof END_SIGNALS)[number]) => {
    if (stopping.signal.aborted) process.exit(128 + constants.signals[signal])
    stopping.abort()
  }
  for (const signal of END_SIGNALS) process.on(signal, onSignal)
  try {
    return await act(stopping.signal)
  } finally {
    for (const signal of END_SIGNALS) process.off(signal, onSignal)
  }
}
