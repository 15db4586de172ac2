import net, { isIP, type Socket } from 'node:net'
import { Connection } from './connection'
import type { TlsMaterial } from './tls-files'

/** As it was when it was first needed: what is put over it later does not count. */
const connectTcp = net.connect

export interface PoolSettings {
  tls: TlsMaterial
  /** Nothing of it keeps the process alive. */
  isBackground: boolean
}

/** Connections to services, used again while they can be. As many as there are exchanges at once. */
export class ConnectionPool {
  readonly #idle = new Map<string, Connection[]>()
  readonly #open = new Set<Connection>()

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
    if (!connection.isUsable) return void connection.socket.destroy()
    connection.socket.unref()
    const idle = this.#idle.get(url.origin)
    if (idle) idle.push(connection)
    else this.#idle.set(url.origin, [connection])
  }

  close(): void {
    for (const connection of this.#open) connection.break(new Error('it was closed'))
  }

  async #connect(
    { protocol, hostname, port }: URL,
    onOpening: (connection: Connection) => void,
  ): Promise<Connection> {
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    const isSecure = protocol === 'https:'
    const socket = isSecure
      ? await this.#connectTls(host, Number(port || 443))
      : connectTcp({ host, port: Number(port || 80) })
    if (this.settings.isBackground) socket.unref()
    const connection = new Connection(socket)
    this.#open.add(connection)
    socket.once('close', () => this.#open.delete(connection))
    onOpening(connection)
    // Nothing is said before the service has shown who it is.
    if (isSecure) await connection.awaitSecure()
    return connection
  }

  /** Node checks the service's certificate against this name, or address. */
  async #connectTls(host: string, port: number): Promise<Socket> {
    const { connect } = await import('node:tls')
    const servername = isIP(host) === 0 ? host : ''
    return connect({ ...this.settings.tls, host, port, servername, ALPNProtocols: ['http/1.1'] })
  }
}
