import net, { isIP, type Socket } from 'node:net'
import type tls from 'node:tls'
import { Connection } from './connection'
import type { Target } from './target'
import type { TlsMaterial } from './tls-files'

// As they were when they were first needed: what is put over them later does not count.
const connectTcp = net.connect
let connectTls: typeof tls.connect | undefined

export interface PoolSettings {
  tls: TlsMaterial
  /** Nothing of it keeps the process alive, but for a connection while it is being made, or waited for. */
  isBackground: boolean
  /** How long a connection is waited for before another is made, in milliseconds; 10 by default. */
  patienceMs?: number
}

/** So many connections to a service are made at once. */
const FIRST_CONNECTIONS = 2
/** How long one of them is waited for before another is made: a service that is near answers sooner. */
const PATIENCE_MS = 10

/** A request that is to go by a connection. */
export interface Taker {
  /** It is over before it has one. */
  readonly isCut: boolean
  /** Told of a connection that is being made, which it may break. */
  goBy(connection: Connection): void
}

interface Waiter {
  origin: string
  go: (connection?: Connection) => void
}

/** Connections to services, used again while they can be. At most as many as there are exchanges at once. */
export class ConnectionPool {
  readonly #idle = new Map<string, Connection[]>()
  /** Each with its origin. */
  readonly #open = new Map<Connection, string>()
  readonly #waiters = new Set<Waiter>()
  /** Origins whose last connection could not be used again: none of theirs is waited for. */
  readonly #closing = new Set<string>()
  #isClosed = false

  constructor(private readonly settings: PoolSettings) {}

  /**
   * One that nobody uses. Without TLS it may still be connecting: what is written waits. Rejects with what has gone wrong,
   * and for a taker that was cut off.
   */
  async take(target: Target, taker: Taker): Promise<Connection> {
    const { origin } = target
    const found = this.#takeIdle(origin) ?? (this.#isWorthWaiting(origin) && (await this.#waitForOne(origin)))
    if (!taker.isCut) return found || this.#connect(target, taker)
    if (found) this.giveBack(target, found)
    throw new Error('it was cut off')
  }

  /** Takes one back whose exchange is over; it is kept where another may follow. */
  giveBack({ origin }: Target, connection: Connection): void {
    if (this.#isClosed || !connection.isUsable) {
      this.#closing.add(origin)
      return this.#destroy(connection)
    }
    this.#closing.delete(origin)
    for (const waiter of this.#waiters) if (waiter.origin === origin) return waiter.go(connection)
    connection.socket.unref()
    const idle = this.#idle.get(origin)
    if (idle) idle.push(connection)
    else this.#idle.set(origin, [connection])
  }

  /** Breaks what is open, and what is being opened. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#open.keys()) connection.break(new Error('it was closed'))
    for (const waiter of this.#waiters) waiter.go()
  }

  #takeIdle(origin: string): Connection | undefined {
    const idle = this.#idle.get(origin) ?? []
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) {
      if (found.isUsable) {
        if (!this.settings.isBackground) found.socket.ref()
        return found
      }
      this.#destroy(found)
    }
    return undefined
  }

  /** It counts no more from now on, not only when it has closed. */
  #destroy(connection: Connection): void {
    this.#open.delete(connection)
    connection.socket.destroy()
  }

  #isWorthWaiting(origin: string): boolean {
    if (this.#closing.has(origin)) return false
    const others = [...this.#open.values()].filter((each) => each === origin)
    return others.length >= FIRST_CONNECTIONS
  }

  /** The next one that comes back; undefined when none does. */
  #waitForOne(origin: string): Promise<Connection | undefined> {
    return new Promise((resolve) => {
      const go = (connection?: Connection): void => {
        clearTimeout(timer)
        this.#waiters.delete(waiter)
        resolve(connection)
      }
      const waiter = { origin, go }
      // It holds the process, as a connection would that was made instead.
      const timer = setTimeout(go, this.settings.patienceMs ?? PATIENCE_MS)
      this.#waiters.add(waiter)
    })
  }

  async #connect({ isSecure, host, port, origin }: Target, taker: Taker): Promise<Connection> {
    const connectSecure = isSecure ? (connectTls ??= (await import('node:tls')).connect) : undefined
    if (this.#isClosed) throw new Error('it was closed')
    const socket = connectSecure ? connectSecure(this.#describeTls(host, port)) : connectTcp({ host, port })
    const connection = new Connection(socket, isSecure)
    if (this.settings.isBackground) letGo(socket)
    this.#open.set(connection, origin)
    socket.once('close', () => this.#open.delete(connection))
    taker.goBy(connection)
    // Nothing is said before the service has shown who it is.
    if (isSecure) await connection.opened()
    return connection
  }

  /** Node checks the service's certificate against this name, or address. */
  #describeTls(host: string, port: number): tls.ConnectionOptions {
    const servername = isIP(host) === 0 ? host : ''
    return { ...this.settings.tls, host, port, servername, ALPNProtocols: ['http/1.1'] }
  }
}

/** The process may end before it does. Of a host with several addresses, each that is tried holds it anew. */
function letGo(socket: Socket): void {
  socket.unref()
  socket.once('connect', () => socket.unref())
}
