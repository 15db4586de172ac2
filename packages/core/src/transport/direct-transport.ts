import { describeError, NetworkError } from '../errors'
import { withoutQuery } from '../redact/without-query'
import { createHttpTransport, findHttpClient, type WebProtocol } from './http-transport'
import type { Transport, TransportRequest, TransportResponse } from './transport'
import type { UndiciSettings } from './undici-transport'

/**
 * A transport without proxies: for each protocol, once there is a request for it, Node's own client, the light one, or
 * undici's where somebody has put another in its place. An execution whose service has no TLS loads nothing for it.
 */
export function createDirectTransport(settings: UndiciSettings): Transport {
  const opened = new Map<WebProtocol, Promise<Transport>>()
  const open = (protocol: WebProtocol): Promise<Transport> => {
    const transport = opened.get(protocol) ?? openTransport(protocol, settings)
    opened.set(protocol, transport)
    return transport
  }
  return {
    send: (request) => sendOn(() => open(findProtocol(request.url)), request),
    close: async () => {
      for (const transport of opened.values()) await (await transport.catch(() => undefined))?.close()
    },
  }
}

async function openTransport(protocol: WebProtocol, settings: UndiciSettings): Promise<Transport> {
  const client = await findHttpClient(protocol)
  if (client) return createHttpTransport({ ...settings, client })
  const { createUndiciTransport } = await import('./undici-transport')
  return createUndiciTransport(settings)
}

async function sendOn(open: () => Promise<Transport>, request: TransportRequest): Promise<TransportResponse> {
  try {
    return await (await open()).send(request)
  } catch (error) {
    return { kind: 'unsendable', error: refuseUnopened(error, request) }
  }
}

/** The client did not load: nothing has left the machine. */
function refuseUnopened(cause: unknown, { method, url }: TransportRequest): NetworkError {
  const message = `no answer from ${method} ${withoutQuery(url)}: ${describeError(cause)}`
  return new NetworkError(message, { cause, wasSent: false })
}

/** What is no address is refused by either. */
function findProtocol(url: string): WebProtocol {
  return URL.canParse(url) && new URL(url).protocol === 'https:' ? 'https:' : 'http:'
}
