import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createHttpsServer, type Server as HttpsServer, type ServerOptions } from 'node:https'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { answerWell } from './scripted-service'

/** Servers of one test file, by their ports on 127.0.0.1, below the level of HTTP. */
export class TestServers {
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Duplex>()

  /** Is handed each connection. */
  async tcp(serve: (socket: Socket) => void): Promise<number> {
    return this.#listen(
      createServer((socket) => {
        socket.on('error', () => undefined)
        serve(socket)
      }),
    )
  }

  async http(listener: RequestListener): Promise<number> {
    return this.#listen(createHttpServer(listener))
  }

  async https(options: ServerOptions, listener: RequestListener): Promise<number> {
    return this.#listen(createHttpsServer(options, listener))
  }

  /** Accepts connections, reads, and never writes. */
  async silence(): Promise<number> {
    return this.tcp((socket) => socket.resume())
  }

  /** Tunnels every host to one port of this machine. `refuse` decides first. */
  async proxy(port: number, plan: ProxyPlan = {}): Promise<Proxy> {
    const asked: IncomingMessage[] = []
    const listener: RequestListener = (_, response) => void response.writeHead(400).end()
    const server = plan.tls ? createHttpsServer(plan.tls, listener) : createHttpServer(listener)
    server.on('connect', (request: IncomingMessage, socket: Duplex) => {
      asked.push(request)
      this.#keep(socket)
      if (plan.refuse?.(socket, request)) return
      const target = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
        target.pipe(socket).pipe(target)
      })
      for (const end of [socket, target]) end.on('error', () => end.destroy())
      socket.once('close', () => target.destroy())
    })
    const { user = '' } = plan
    // Node warns of TLS to a proxy by its address.
    const origin = plan.tls ? `https://${user}localhost` : `http://${user}127.0.0.1`
    return { url: `${origin}:${await this.#listen(server)}`, asked }
  }

  /** Connections that clients have not closed. */
  get open(): number {
    return this.#sockets.size
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(
      this.#servers
        .splice(0)
        .map((server) => new Promise((resolve) => server.close(() => resolve(undefined)))),
    )
  }

  async #listen(server: Server | HttpsServer): Promise<number> {
    server.on('connection', (socket: Socket) => this.#keep(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#servers.push(server)
    return (server.address() as AddressInfo).port
  }

  #keep(socket: Duplex): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }
}

export interface ProxyPlan {
  /** The proxy itself is reached by TLS. */
  tls?: ServerOptions
  /** `user:password@`, for the URL. */
  user?: string
  /** Returns true when it has dealt with the tunnel. */
  refuse?: (socket: Duplex, request: IncomingMessage) => boolean
}

export interface Proxy {
  url: string
  /** Every CONNECT. */
  asked: IncomingMessage[]
}

/** Does what a service does. */
export function serveWell(scheme: 'http' | 'https' = 'http'): RequestListener {
  let count = 0
  return (incoming, response) => {
    const { method = '', url = '', headers } = incoming
    // The URL that it gives for an attachment's bytes leads to this server too.
    const end = response.end.bind(response) as (text?: string) => typeof response
    response.end = (text?: unknown) => end(String(text ?? '').replaceAll('http://', `${scheme}://`))
    incoming.resume().once('end', () => {
      answerWell({ method, path: url, headers, body: Buffer.alloc(0) }, response, (count += 1))
    })
  }
}
