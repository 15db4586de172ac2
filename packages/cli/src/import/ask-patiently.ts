import { deriveRetryDelayMs, NetworkError } from '@runledger/core/tools'
import { type Clock, SYSTEM_CLOCK } from '../clock'

/** The longest time for a file, however often the service is asked for its answer. */
const PATIENCE_MS = 60 * 60 * 1000
/** Connections in a row that break early, after which it gives up. */
const MAX_EARLY = 5

/**
 * An import goes on when its client has waited too long; the same request gets its answer, or stores what is missing. A connection
 * that breaks in less than a quarter of the request's timeout did not wait.
 */
export async function askPatiently<Result>(
  ask: () => Promise<Result>,
  { requestTimeoutMs, clock = SYSTEM_CLOCK }: { requestTimeoutMs: number; clock?: Clock },
): Promise<Result> {
  const beganAt = clock.nowMs()
  let early = 0
  for (;;) {
    const askedAt = clock.nowMs()
    try {
      return await ask()
    } catch (error) {
      const mayGoOn = error instanceof NetworkError && error.wasSent
      early = clock.nowMs() - askedAt < requestTimeoutMs / 4 ? early + 1 : 0
      if (!mayGoOn || early >= MAX_EARLY || clock.nowMs() - beganAt > PATIENCE_MS) throw error
    }
    const retry = Math.max(1, early)
    await clock.sleep(deriveRetryDelayMs(retry))
  }
}
