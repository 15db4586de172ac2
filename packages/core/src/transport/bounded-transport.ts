import pLimit from 'p-limit'
import type { Transport } from './transport'

/** Lets at most `concurrency` requests be under way at once, their retries included. */
export function createBoundedTransport(inner: Transport, concurrency: number): Transport {
  const limit = pLimit(concurrency)
  return {
    send: (request) => limit(() => inner.send(request)),
    close: () => inner.close(),
  }
}
