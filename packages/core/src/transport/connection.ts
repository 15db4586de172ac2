import type { Socket } from 'node:net'
import type { Pieces } from '../pieces'
import { AnswerReader, type Answer } from './answer-reader'

/** How long a connection is used again whose service does not say how long it leaves it open, in milliseconds. */
const IDLE_MS = 4_000
/** How much earlier than the service says, in milliseconds. */
const MARGIN_MS = 1_000

interface Exchange {
  reader: AnswerReader
  resolve: (answer: Answer) => void
  reject: (error: unknown) => void
}

/** A connection to a service, for one exchange of HTTP/1.1 after the other. */
export class Connection {
  #exchange: Exchange | undefined
  #opening: { resolve: () => void; reject: (error: unknown) => void } | undefined
  #hasOpened = false
  /** Why it cannot be used any more. */
  #failure: unknown
  #usableUntilMs = 0

  constructor(
    readonly socket: Socket,
    isSecure: boolean,
  ) {
    socket.setNoDelay(true)
    socket.once(isSecure ? 'secureConnect' : 'connect', () => this.#open())
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    socket.on('end', () => this.#end())
    // It stays: what is left of an exchange that went wrong must not become an uncaught error.
    socket.on('error', (error) => this.break(error))
    socket.on('close', () => this.#end())
  }

  /** It was there once, and with TLS the service has shown who it is: nothing leaves before. */
  get hasOpened(): boolean {
    return this.#hasOpened
  }

  /** Waits until it is there. Rejects with what has gone wrong instead. */
  opened(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject }
      if (this.#failure !== undefined) reject(this.#failure as Error)
    })
  }

  /** Whether another exchange may follow, as far as is known here. */
  get isUsable(): boolean {
    return this.#failure === undefined && performance.now() < this.#usableUntilMs
  }

  /** Everything that was written has left. */
  get hasDrained(): boolean {
    return this.socket.writableLength === 0
  }

  /** What the service answers to the request that is written now. Rejects with what has gone wrong instead. */
  receive(): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#failure === undefined) this.#exchange = { reader: new AnswerReader(), resolve, reject }
      else reject(this.#failure as Error)
    })
  }

  /** All at once. */
  write(pieces: Pieces): void {
    this.socket.cork()
    for (const piece of pieces) this.socket.write(piece)
    this.socket.uncork()
  }

  /** Answers when the piece may be overwritten; false when the connection has ended and nobody reads the rest. */
  writeWhole(piece: Uint8Array): Promise<boolean> {
    const { socket } = this
    return new Promise((resolve) => {
      const proceed = (): void => {
        socket.off('close', proceed)
        resolve(!socket.destroyed)
      }
      socket.once('close', proceed)
      socket.write(piece, proceed)
    })
  }

  /** Ends it, and what is under way with this error. */
  break(error: unknown): void {
    this.#failure ??= error
    this.socket.destroy()
    this.#opening?.reject(error)
    this.#exchange?.reject(error)
    this.#exchange = undefined
  }

  #open(): void {
    this.#hasOpened = true
    this.#opening?.resolve()
  }

  #read(bytes: Buffer): void {
    const exchange = this.#exchange
    if (!exchange) return this.break(new Error('the service answered unasked'))
    try {
      if (exchange.reader.read(bytes)) this.#settle(exchange)
    } catch (error) {
      this.break(error)
    }
  }

  /** The service has closed it, or we have. */
  #end(): void {
    const exchange = this.#exchange
    try {
      const reader = exchange?.reader ?? new AnswerReader()
      reader.end()
      if (exchange) this.#settle(exchange)
      this.break(new Error('it was closed'))
    } catch (error) {
      this.break(error)
    }
  }

  #settle({ reader, resolve }: Exchange): void {
    this.#exchange = undefined
    const { keepAliveSeconds } = reader
    const idleMs = keepAliveSeconds === undefined ? IDLE_MS : keepAliveSeconds * 1000 - MARGIN_MS
    this.#usableUntilMs = reader.isPersistent ? performance.now() + idleMs : 0
    resolve(reader.answer)
  }
}
