import type { LimitFunction } from 'p-limit'
import type { Transport } from './transport'

/** Lets a request be under way, its retries included, only while the limit has room; several transports may share it. */
export function createBoundedTransport(inner: Transport, limit: LimitFunction): Transport {
  return {
    send: (request) => limit(() => inner.send(request)),
    close: () => inner.close(),
  }
}
