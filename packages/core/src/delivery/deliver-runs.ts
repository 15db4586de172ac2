import { randomUUID } from 'node:crypto'
import type { ResolvedOptions } from '../options/resolve-options'
import type { RunRecord } from '../run/map-suite'
import { createBoundedTransport } from '../transport/bounded-transport'
import { createRetryingTransport } from '../transport/retrying-transport'
import type { Transport } from '../transport/transport'
import { createUndiciTransport } from '../transport/undici-transport'
import { deliverRun, type RunDelivery } from './deliver-run'
import { ServiceClient } from './service-client'

export interface DeliverySettings {
  options: ResolvedOptions
  url: string
  apiKey: string
}

/**
 * Delivers all runs of an execution within one deadline, at most `concurrency` requests at once.
 * @throws ConfigError when the transport cannot be made (CA file).
 */
export async function deliverRuns(
  records: readonly RunRecord[],
  settings: DeliverySettings,
): Promise<RunDelivery[]> {
  const { options } = settings
  const deadline = startDeadline(options.deadlineMs)
  const transport = await createTransport(options, deadline.atMs)
  try {
    const client = new ServiceClient(
      transport,
      { ...options, url: settings.url, apiKey: settings.apiKey },
      {
        requestTimeoutMs: options.requestTimeoutMs,
        transferTimeoutMs: options.deadlineMs,
        signal: deadline.signal,
      },
    )
    return await Promise.all(records.map((record) => deliverRun(client, record, randomUUID())))
  } finally {
    deadline.stop()
    await transport.close()
  }
}

async function createTransport(options: ResolvedOptions, deadlineAtMs: number): Promise<Transport> {
  const { caFile, concurrency, maxRetries } = options
  const undici = await createUndiciTransport({ caFile, connections: concurrency })
  return createBoundedTransport(createRetryingTransport(undici, { maxRetries, deadlineAtMs }), concurrency)
}

function startDeadline(deadlineMs: number): { atMs: number; signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(), deadlineMs)
  return { atMs: Date.now() + deadlineMs, signal: controller.signal, stop: () => clearTimeout(timer) }
}
