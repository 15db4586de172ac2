import net, { isIP, type Socket } from 'node:net'
import type tls from 'node:tls'
import { Connection } from './connection'
import type { TlsMaterial } from './tls-files'

// As they were when they were first needed: what is put over them later does not count.
const connectTcp = net.connect
let connectTls: typeof tls.connect | undefined

export interface PoolSettings {
  tls: TlsMaterial
  /** Nothing of it keeps the process alive, but for a connection while it is being made. */
  isBackground: boolean
}

/** Connections to services, used again while they can be. As many as there are exchanges at once. */
export class ConnectionPool {
  readonly #idle = new Map<string, Connection[]>()
  readonly #open = new Set<Connection>()
  #isClosed = false

  constructor(private readonly settings: PoolSettings) {}

  /**
   * One that nobody uses; `onOpening` is given one that is not there yet, and may break it. Without TLS it may still be
   * connecting: what is written waits. Rejects with what has gone wrong.
   */
  async take(url: URL, onOpening: (connection: Connection) => void): Promise<Connection> {
    const idle = this.#idle.get(url.origin) ?? []
    for (let found = idle.pop(); found !== undefined; found = idle.pop()) {
      if (found.isUsable) {
        if (!this.settings.isBackground) found.socket.ref()
        return found
      }
      found.socket.destroy()
    }
    return this.#connect(url, onOpening)
  }

  /** Takes one back whose exchange is over; it is kept where another may follow. */
  giveBack(url: URL, connection: Connection): void {
    if (this.#isClosed || !connection.isUsable) return void connection.socket.destroy()
    connection.socket.unref()
    const idle = this.#idle.get(url.origin)
    if (idle) idle.push(connection)
    else this.#idle.set(url.origin, [connection])
  }

  /** Breaks what is open, and what is being opened. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#open) connection.break(new Error('it was closed'))
  }

  async #connect(
    { protocol, hostname, port }: URL,
    onOpening: (connection: Connection) => void,
  ): Promise<Connection> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const isSecure = protocol === 'https:'
    const connectSecure = isSecure ? (connectTls ??= (await import('node:tls')).connect) : undefined
    if (this.#isClosed) throw new Error('it was closed')
    const socket = connectSecure
      ? connectSecure(this.#describeTls(host, Number(port || 443)))
      : connectTcp({ host, port: Number(port || 80) })
    const connection = new Connection(socket, isSecure)
    if (this.settings.isBackground) letGo(socket)
    this.#open.add(connection)
    socket.once('close', () => this.#open.delete(connection))
    onOpening(connection)
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
