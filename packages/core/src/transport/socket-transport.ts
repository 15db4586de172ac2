import { AttachmentError, NetworkError } from '../model/errors'
import { FilePace } from '../file-pace'
import { measurePieces, type Pieces } from '../pieces'
import { withoutQuery } from '../util/without-query'
import type { Connection } from './connection'
import { ConnectionPool, type PoolSettings } from './connection-pool'
import { pipeFile, readSmallFile, WHOLE_FILE_BYTES, type FileBody } from './file-body'
import { toNetworkError } from './network-error'
import { formatRequestHead } from './request-head'
import { parseTarget, type Target } from './target'
import {
  isInPieces,
  type RequestBody,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from './transport'

/** Errors that the request itself is at fault for: a header is none, or what it is to be sent to. */
const INVALID = /^ERR_(INVALID_CHAR|INVALID_HTTP_TOKEN|INVALID_ARG_.*)$/

/**
 * A transport of HTTP/1.1 on Node's sockets, without proxies. A request takes a third of the time that Node's own client
 * takes, which is as cold as this where an execution ends, and undici takes a third of a second and 30 MB to load. What
 * the user's tests put over Node's client or `fetch` cannot touch it.
 */
export function createSocketTransport(settings: PoolSettings): Transport {
  const pool = new ConnectionPool(settings)
  const pace = new FilePace()
  const { isBackground } = settings
  const signals = new SignalWatch()
  return {
    send: (request) => sendRequest({ pool, isBackground, pace, signals }, request),
    close: async () => pool.close(),
  }
}

interface Wire {
  pool: ConnectionPool
  isBackground: boolean
  signals: SignalWatch
  /** Of the disks that bodies are read from. */
  pace: FilePace
}

async function sendRequest(wire: Wire, request: TransportRequest): Promise<TransportResponse> {
  const target = parseTarget(request.url)
  if (target === undefined) return { kind: 'unsendable', error: refuseAddress(request) }
  const sending = new Sending(request.signal.aborted)
  const timer = setTimeout(() => sending.cutOff(), request.timeoutMs)
  if (wire.isBackground) timer.unref()
  wire.signals.add(request.signal, sending)
  try {
    return await exchange({ ...wire, sending }, target, request)
  } catch (error) {
    if (error instanceof AttachmentError) return { kind: 'unsendable', error }
    const isOurFault = INVALID.test((error as NodeJS.ErrnoException).code ?? '')
    return { kind: isOurFault ? 'unsendable' : 'no-answer', error: toNetworkError(error, request, sending) }
  } finally {
    clearTimeout(timer)
    wire.signals.delete(request.signal, sending)
  }
}

/** What signals cut off. Each has one listener for all: one for each request would cost as much as its connection. */
class SignalWatch {
  readonly #bySignal = new Map<AbortSignal, { underWay: Set<Sending>; cutOff: () => void }>()

  add(signal: AbortSignal, sending: Sending): void {
    const known = this.#bySignal.get(signal)
    if (known) return void known.underWay.add(sending)
    const underWay = new Set([sending])
    const cutOff = (): void => underWay.forEach((each) => each.cutOff())
    this.#bySignal.set(signal, { underWay, cutOff })
    signal.addEventListener('abort', cutOff)
  }

  /** Leaves nothing on a signal that nobody waits for. */
  delete(signal: AbortSignal, sending: Sending): void {
    const { underWay, cutOff } = this.#bySignal.get(signal) ?? {}
    if (!underWay?.delete(sending) || underWay.size > 0 || !cutOff) return
    signal.removeEventListener('abort', cutOff)
    this.#bySignal.delete(signal)
  }
}

/** One request on its way, until its time is over. */
class Sending {
  /** All of it was handed to the socket. */
  isWritten = false
  #connection: Connection | undefined
  #stopWaiting: ((error: Error) => void) | undefined

  constructor(public isCut: boolean) {}

  /** Something of it may have reached the service. */
  get wasSent(): boolean {
    return this.#connection?.hasOpened === true
  }

  /** The connection that it goes by, which may not be there yet. */
  goBy(connection: Connection): void {
    this.#connection = connection
    if (this.isCut) this.cutOff()
  }

  /** Waits for what cannot be cut off. */
  await<Result>(work: Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      work.then(resolve, reject)
      this.#stopWaiting = reject
      if (this.isCut) this.cutOff()
    })
  }

  cutOff(): void {
    this.isCut = true
    const error = new Error('it was cut off')
    this.#stopWaiting?.(error)
    this.#connection?.break(error)
  }
}

function refuseAddress({ method, url }: TransportRequest): NetworkError {
  return new NetworkError(`no answer from ${method} ${withoutQuery(url)}: it is no address of the web`, {
    wasSent: false,
  })
}

/** Small files are sent in one piece. @throws AttachmentError */
async function exchange(
  wire: Wire & { sending: Sending },
  target: Target,
  request: TransportRequest,
): Promise<TransportResponse> {
  const { body } = request
  const isSmallFile = typeof body === 'object' && 'path' in body && body.sizeBytes <= WHOLE_FILE_BYTES
  if (!isSmallFile) return (await exchangeBody(wire, target, request)).response
  const file = await wire.sending.await(readSmallFile(body, wire.pace))
  const { response, isSent } = await exchangeBody(wire, target, { ...request, body: file.bytes })
  // Otherwise the socket may still read from it.
  if (isSent) file.giveBack()
  return response
}

/** `isSent`: all of the body. When the answer comes before that, the connection is of no further use. */
async function exchangeBody(
  { pool, sending }: Wire & { sending: Sending },
  target: Target,
  request: TransportRequest,
): Promise<{ response: TransportResponse; isSent: boolean }> {
  const head = formatRequestHead(target, request, measureBody(request.body))
  if (sending.isCut) throw new Error('it was cut off')
  const connection = await pool.take(target, sending)
  sending.goBy(connection)
  const receiving = connection.receive()
  void send(connection, sending, { head, body: request.body })
  const answer = await receiving
  const isSent = sending.isWritten && connection.hasDrained
  if (isSent) pool.giveBack(target, connection)
  else connection.break(new Error('it was answered too early'))
  return { response: { kind: 'answer', ...answer }, isSent }
}

function measureBody(body: RequestBody | undefined): number | undefined {
  if (body === undefined) return undefined
  if (typeof body === 'string') return Buffer.byteLength(body)
  if (isInPieces(body)) return measurePieces(body)
  return 'path' in body ? body.sizeBytes : body.byteLength
}

/** All in one go, but for a large file. What goes wrong ends the connection, and so what waits for its answer. */
async function send(
  connection: Connection,
  sending: Sending,
  { head, body }: { head: Uint8Array; body: RequestBody | undefined },
): Promise<void> {
  try {
    if (typeof body === 'object' && 'path' in body) {
      connection.write([head])
      let leftBytes = body.sizeBytes
      await pipeFile(body, (piece) => {
        leftBytes -= piece.byteLength
        // Not when the file is closed: the answer may be here before.
        sending.isWritten = leftBytes === 0
        return connection.writeWhole(piece)
      })
    } else {
      connection.write([head, ...listPieces(body)])
      sending.isWritten = true
    }
  } catch (error) {
    // A file that cannot be closed ends nothing: the connection may be another request's by now.
    if (!sending.isWritten) connection.break(error)
  }
}

function listPieces(body: Exclude<RequestBody, FileBody> | undefined): Pieces {
  if (body === undefined) return []
  if (typeof body === 'string') return [Buffer.from(body)]
  return isInPieces(body) ? body : [body]
}
