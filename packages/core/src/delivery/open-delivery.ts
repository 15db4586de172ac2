import { setMaxListeners } from 'node:events'
import pLimit, { type LimitFunction } from 'p-limit'
import type { Environment } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import { createBoundedTransport } from '../transport/bounded-transport'
import { createTransport } from '../transport/create-transport'
import { createRetryingTransport } from '../transport/retrying-transport'
import { startTimeLimit, type TimeLimit } from '../util/time-limit'
import { deliverRun } from './deliver-run'
import type { DeliverableRun } from './deliverable-run'
import type { RunDelivery } from './run-delivery'
import { ServiceClient } from './service-client'

export interface DeliverySettings {
  options: ResolvedOptions
  url: string
  apiKey: string
  /** Tells of hosts that are not reached through a proxy. */
  env: Environment
  /** When everything must be over, in milliseconds since the Unix epoch. */
  deadlineAtMs: number
  /** Longest time that one file's bytes may take, in milliseconds. */
  transferTimeoutMs: number
  /** A service that asks for a longer wait (`Retry-After`) is not waited for, in milliseconds; the deadline by default. */
  longestWaitMs?: number
  /** Bounds requests under way together with others; by default `concurrency` of its own. */
  limit?: LimitFunction
  /** Nothing of it keeps the process alive. */
  isBackground?: boolean
}

/** A connection to the service for the runs of one delivery. */
export interface Delivery {
  /** Aborts at the deadline. */
  signal: AbortSignal
  /** Never throws. */
  deliver(run: DeliverableRun): Promise<RunDelivery>
  close(): Promise<void>
}

/** Longest part of the deadline that is kept for linking what has been sent, when other files do not get through. */
const LINKING_MS = 5_000

/**
 * Opens a delivery within one deadline, at most `concurrency` requests at once.
 * @throws ConfigError when the transport cannot be made (TLS files, proxy).
 */
export async function openDelivery(settings: DeliverySettings): Promise<Delivery> {
  const { options, env, deadlineAtMs, url, apiKey, transferTimeoutMs, longestWaitMs } = settings
  const { isBackground = false } = settings
  const { concurrency, maxRetries, requestTimeoutMs } = options
  const inner = await createTransport({ tlsFiles: options, connections: concurrency, env, isBackground })
  const retrying = createRetryingTransport(inner, {
    maxRetries,
    deadlineAtMs,
    isBackground,
    ...(longestWaitMs !== undefined && { longestWaitMs }),
  })
  const transport = createBoundedTransport(retrying, settings.limit ?? pLimit(concurrency))
  const leftMs = Math.max(0, deadlineAtMs - Date.now())
  const deadline = startSharedLimit(leftMs)
  const transfers = startSharedLimit(leftMs - Math.min(LINKING_MS, leftMs / 5))
  if (isBackground) for (const limit of [deadline, transfers]) limit.unref()
  const limits = {
    requestTimeoutMs,
    transferTimeoutMs,
    signal: deadline.signal,
    transferSignal: transfers.signal,
  }
  const client = new ServiceClient(transport, { ...options, url, apiKey }, limits)
  const policy = { maxRetries, isDown: false, takesNoInline: false, isBackground, signal: deadline.signal }
  return {
    signal: deadline.signal,
    deliver: (run) => deliverRun(run.paths ? client.at(run.paths) : client, run, policy),
    close: async () => {
      deadline.stop()
      transfers.stop()
      await transport.close()
    },
  }
}

/** Every request under way listens to it: there may be more than the ten that Node warns of. */
function startSharedLimit(timeoutMs: number): TimeLimit {
  const limit = startTimeLimit(timeoutMs)
  setMaxListeners(0, limit.signal)
  return limit
}
