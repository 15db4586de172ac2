import { once } from 'node:events'
import net from 'node:net'
import tls from 'node:tls'
import type { ServiceIdentity } from '../config/resolve-options'
import type { TlsMaterial } from '../config/tls-files'
import { UnprovenError } from '../model/errors'
import { withOriginalConnect } from '../util/original-connect'
import { startTimeLimit } from '../util/time-limit'
import { ClientRequest } from './client-request'
import { isProven } from './prove-service'
import { type FindProxy, type Target, targetOf } from './proxies'

export interface Way {
  tls: TlsMaterial
  findProxy: FindProxy
  /** Set for a service that proves its identity on every connection. */
  identity: ServiceIdentity | undefined
}

const CLOSED = 'the transport was closed'
const CONNECT_TIMEOUT_MS = 10_000
const TCP_KEEP_ALIVE_MS = 60_000

export class Sockets {
  readonly #open = new Set<net.Socket>()
  #isClosed = false

  constructor(private readonly way: Way) {}

  /** Opens a connection, directly or through a proxy, with TLS and proof as required. Rejects when the signal aborts. */
  async open(target: Target, signal: AbortSignal): Promise<net.Socket> {
    const limit = startTimeLimit(CONNECT_TIMEOUT_MS, signal)
    const opened: net.Socket[] = []
    const closeOpened = () => opened.forEach((socket) => socket.destroy())
    limit.signal.addEventListener('abort', closeOpened)
    try {
      limit.signal.throwIfAborted()
      return await this.#reach(target, opened)
    } catch (error) {
      closeOpened()
      throw limit.signal.aborted ? new Error('the connection was not made in time') : error
    } finally {
      limit.stop()
    }
  }

  closeAll(): void {
    this.#isClosed = true
    for (const socket of this.#open) socket.destroy(new Error(CLOSED))
  }

  async #reach(target: Target, opened: net.Socket[]): Promise<net.Socket> {
    const proxy = this.way.findProxy(target)
    const socket = await (proxy === undefined
      ? this.#connect(target, opened)
      : this.#tunnel(proxy, target, opened))
    if (target.isSecure) return this.#secure(socket, { host: target.host }, opened)
    await this.#prove(socket, target)
    return socket
  }

  async #connect({ host, port }: Target, opened: net.Socket[]): Promise<net.Socket> {
    const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS }
    const socket = this.#track(() => withOriginalConnect(() => net.connect(options)), opened)
    return waitFor(socket, 'connect')
  }

  async #secure(
    socket: net.Socket,
    { host, tls: material = this.way.tls }: { host: string; tls?: TlsMaterial },
    opened: net.Socket[],
  ): Promise<net.Socket> {
    const servername = net.isIP(host) === 0 ? host : ''
    const secured = this.#track(() => tls.connect({ ...material, socket, host, servername }), opened)
    return waitFor(secured, 'secureConnect')
  }

  /** The client's certificate is for the service, not for the proxy. */
  async #tunnel(proxy: URL, target: Target, opened: net.Socket[]): Promise<net.Socket> {
    if (!/^https?:$/.test(proxy.protocol)) throw socksError()
    const { host, isSecure, ...place } = targetOf(proxy)
    const { ca } = this.way.tls
    const plain = await this.#connect({ host, isSecure, ...place }, opened)
    const socket = isSecure ? await this.#secure(plain, { host, tls: ca ? { ca } : {} }, opened) : plain
    const authority = `${net.isIPv6(target.host) ? `[${target.host}]` : target.host}:${target.port}`
    const request = new ClientRequest({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...authorizeAs(proxy) },
      createConnection: () => socket,
      protocol: 'http:',
    })
    request.end()
    const [{ statusCode }] = (await once(request, 'connect')) as [{ statusCode?: number }]
    if (statusCode === 200) return socket
    throw Object.assign(new Error(`the proxy answered ${statusCode}`), { code: 'ERR_PROXY_TUNNEL' })
  }

  /** Another user may listen on the local service's port. TLS proves a service by itself. */
  async #prove(socket: net.Socket, target: Target): Promise<void> {
    const { identity } = this.way
    if (identity === undefined) return
    const { host, port, isSecure } = targetOf(new URL(identity.url))
    if (isSecure || host !== target.host || port !== target.port) return
    if (!(await isProven(socket, identity))) throw new UnprovenError(identity.url)
  }

  #track<Opened extends net.Socket>(open: () => Opened, opened: net.Socket[]): Opened {
    if (this.#isClosed) throw new Error(CLOSED)
    const socket = open()
    opened.push(socket)
    this.#open.add(socket)
    // Between requests, an error without a listener would be uncaught.
    return socket.on('error', () => undefined).once('close', () => this.#open.delete(socket))
  }
}

async function waitFor(socket: net.Socket, event: string): Promise<net.Socket> {
  await new Promise<void>((resolve, reject) => {
    socket
      .once(event, resolve)
      .once('error', reject)
      .once('close', () => reject(closedError()))
  })
  return socket
}

function closedError(): Error {
  return Object.assign(new Error('the connection was closed'), { code: 'ECONNRESET' })
}

function socksError(): Error {
  const error = new Error('HTTPS_PROXY or HTTP_PROXY names a SOCKS proxy: use one that speaks HTTP')
  return Object.assign(error, { code: 'ERR_SOCKS_PROXY' })
}

function authorizeAs({ username, password }: URL): Record<string, string> {
  if (!username && !password) return {}
  const credentials = Buffer.from(decodeURIComponent(`${username}:${password}`)).toString('base64')
  return { 'proxy-authorization': `Basic ${credentials}` }
}
