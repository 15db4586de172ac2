import type { LimitFunction } from 'p-limit'
import type { RequestBody, Transport, TransportRequest } from './transport'

/** A request; a body that is a function is made when the request's turn has come, once for all its tries. */
export type QueuedRequest = Omit<TransportRequest, 'body'> & {
  body?: RequestBody | (() => RequestBody)
}

export interface QueuedTransport extends Pick<Transport, 'close'> {
  send(request: QueuedRequest): ReturnType<Transport['send']>
}

/** Lets a request be under way, its retries included, only while the limit has room; several transports may share it. */
export function createQueuedTransport(inner: Transport, limit: LimitFunction): QueuedTransport {
  return {
    send: (request) => limit(() => inner.send(makeBody(request))),
    close: () => inner.close(),
  }
}

function makeBody({ body, ...request }: QueuedRequest): TransportRequest {
  if (body === undefined) return request
  return { ...request, body: typeof body === 'function' ? body() : body }
}
