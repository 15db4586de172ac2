import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import type { Environment } from '../options/options'
import type { ResolvedOptions } from '../options/resolve-options'
import type { RunRecord } from '../run/map-suite'
import { createBoundedTransport } from '../transport/bounded-transport'
import { createRetryingTransport } from '../transport/retrying-transport'
import { startTimeLimit, type TimeLimit } from '../transport/time-limit'
import type { Transport } from '../transport/transport'
import { createUndiciTransport } from '../transport/undici-transport'
import { deliverRun, type RunDelivery } from './deliver-run'
import { ServiceClient } from './service-client'

export interface DeliverySettings {
  options: ResolvedOptions
  url: string
  apiKey: string
  /** Tells of hosts that are not reached through a proxy. */
  env: Environment
}

/** Longest part of the deadline that is kept for linking what has been sent, when other files do not get through. */
const LINKING_MS = 5_000

/**
 * Delivers all runs of an execution within one deadline, at most `concurrency` requests at once.
 * @throws ConfigError when the transport cannot be made (CA file, proxy).
 */
export async function deliverRuns(
  records: readonly RunRecord[],
  settings: DeliverySettings,
): Promise<RunDelivery[]> {
  const { deadlineMs } = settings.options
  const deadlineAtMs = Date.now() + deadlineMs
  const deadline = startSharedLimit(deadlineMs)
  const transfers = startSharedLimit(deadlineMs - Math.min(LINKING_MS, deadlineMs / 5))
  try {
    const transport = await createTransport(settings, deadlineAtMs)
    const client = createClient(transport, settings, { deadline, transfers })
    const deliveries = records.map((record) => deliverRun(client, record, randomUUID()))
    return await Promise.all(deliveries).finally(() => transport.close())
  } finally {
    deadline.stop()
    transfers.stop()
  }
}

function createClient(
  transport: Transport,
  { options, url, apiKey }: DeliverySettings,
  { deadline, transfers }: { deadline: TimeLimit; transfers: TimeLimit },
): ServiceClient {
  return new ServiceClient(
    transport,
    { ...options, url, apiKey },
    {
      requestTimeoutMs: options.requestTimeoutMs,
      transferTimeoutMs: options.deadlineMs,
      signal: deadline.signal,
      transferSignal: transfers.signal,
    },
  )
}

async function createTransport({ options, env }: DeliverySettings, deadlineAtMs: number): Promise<Transport> {
  const { caFile, concurrency, maxRetries } = options
  const undici = await createUndiciTransport({ caFile, connections: concurrency, env })
  return createBoundedTransport(createRetryingTransport(undici, { maxRetries, deadlineAtMs }), concurrency)
}

/** Every request under way listens to it: there may be more than the ten that Node warns of. */
function startSharedLimit(timeoutMs: number): TimeLimit {
  const limit = startTimeLimit(timeoutMs)
  setMaxListeners(0, limit.signal)
  return limit
}
