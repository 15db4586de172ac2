import { deriveRetryDelayMs, NetworkError } from '@runledger/core/tools'
import { type Clock, SYSTEM_CLOCK } from '../clock'

/** The longest time for a file, over all requests. */
const PATIENCE_MS = 60 * 60 * 1000
/** Number of early breaks in a row after which the command gives up. */
const MAX_EARLY = 5

/**
 * Repeats an import whose connection broke. The service continues an import after the client has gone, and the same request gets its
 * answer, or stores the missing runs. A connection that breaks within a quarter of the request's timeout counts as an early break.
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
