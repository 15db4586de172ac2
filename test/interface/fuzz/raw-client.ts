import { connect, type Socket } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** A request as it goes over the wire, however wrong. */
export interface RawRequest {
  method: string
  /** Path and query, as they are: nothing is encoded. */
  target: string
  headers: readonly (readonly [name: string, value: string])[]
  body: Buffer | undefined
  /** `length`: announced whole. `chunked`: in chunks. `cut`: announced whole, half of it sent, then the end. */
  framing: 'length' | 'chunked' | 'cut'
}

export interface RawResponse {
  status: number
  headers: Readonly<Record<string, string>>
  body: Buffer
}

export type Sent = RawResponse | 'closed' | 'hang'

const CHUNK_BYTES = 7

/** Speaks HTTP/1.1 over plain sockets, so that it can send what no client library would. One request at a time. */
export class RawClient {
  readonly #host: string
  readonly #port: number
  readonly #limitMs: number
  #idle: Socket | undefined

  constructor(url: string, limitMs: number) {
    const { hostname, port } = new URL(url)
    this.#host = hostname
    this.#port = Number(port)
    this.#limitMs = limitMs
  }

  async send(request: RawRequest): Promise<Sent> {
    const reused = this.#idle
    this.#idle = undefined
    const sent = await this.#sendOn(reused ?? connect(this.#port, this.#host), request)
    // The service may have closed a connection that it kept alive just then.
    return sent === 'closed' && reused ? this.#sendOn(connect(this.#port, this.#host), request) : sent
  }

  close(): void {
    this.#idle?.destroy()
  }

  async #sendOn(socket: Socket, request: RawRequest): Promise<Sent> {
    socket.setNoDelay(true)
    const reading = readResponse(socket, request.method, this.#limitMs)
    writeRequest(socket, request)
    const sent = await reading
    const canStay =
      typeof sent === 'object' && sent.headers['connection'] !== 'close' && request.framing !== 'cut'
    if (canStay && isPlain(request)) this.#idle = socket
    else socket.destroy()
    return sent
  }
}

/** Nothing in it that could leave bytes behind on the connection. */
function isPlain({ headers }: RawRequest): boolean {
  return !headers.some(([name]) => /^(?:content-length|transfer-encoding|connection|expect)$/i.test(name))
}

function writeRequest(socket: Socket, { method, target, headers, body, framing }: RawRequest): void {
  const lines = headers.map(([name, value]) => `${name}: ${value}`)
  if (body && framing === 'chunked') lines.push('Transfer-Encoding: chunked')
  else if (body) lines.push(`Content-Length: ${body.length}`)
  const head = [`${method} ${target} HTTP/1.1`, 'Host: fuzz', ...lines].join('\r\n')
  socket.write(Buffer.from(`${head}\r\n\r\n`, 'latin1'))
  if (!body) return
  if (framing === 'length') socket.write(body)
  if (framing === 'cut') socket.end(body.subarray(0, Math.floor(body.length / 2)))
  if (framing === 'chunked') {
    for (let start = 0; start < body.length;) {
      // Few chunks for a large body: it is their borders that matter.
      const chunk = body.subarray(start, start + Math.max(CHUNK_BYTES, Math.ceil(body.length / 50)))
      socket.write(`${chunk.length.toString(16)}\r\n`)
      socket.write(chunk)
      socket.write('\r\n')
      start += chunk.length
    }
    socket.write('0\r\n\r\n')
  }
}

function readResponse(socket: Socket, method: string, limitMs: number): Promise<Sent> {
  return new Promise((resolve) => {
    let received = Buffer.alloc(0)
    const finish = (sent: Sent) => {
      clearTimeout(timer)
      for (const name of ['data', 'error', 'close']) socket.removeAllListeners(name)
      socket.on('error', () => undefined)
      resolve(sent)
    }
    const timer = setTimeout(() => finish('hang'), limitMs)
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      const answer = parseResponse(received, method)
      if (answer) finish(answer)
    })
    socket.on('error', () => finish('closed'))
    socket.on('close', () => finish('closed'))
  })
}

/** The response in these bytes; undefined while some of it is missing. Interim answers (1xx) are skipped. */
export function parseResponse(received: Buffer, method: string): RawResponse | undefined {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [line = '', ...fields] = received.subarray(0, end).toString('latin1').split('\r\n')
  const status = Number(line.split(' ')[1])
  const rest = received.subarray(end + 4)
  if (status >= 100 && status < 200) return parseResponse(rest, method)
  const headers = Object.fromEntries(
    fields.map((field) => {
      const colon = field.indexOf(':')
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()]
    }),
  )
  if (method === 'HEAD' || status === 204 || status === 304) return { status, headers, body: Buffer.alloc(0) }
  const body =
    headers['transfer-encoding'] === 'chunked'
      ? joinChunks(rest)
      : takeBytes(rest, Number(headers['content-length'] ?? 0))
  return body && { status, headers, body: headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body }
}

function takeBytes(rest: Buffer, length: number): Buffer | undefined {
  return rest.length < length ? undefined : rest.subarray(0, length)
}

function joinChunks(rest: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; ;) {
    const lineEnd = rest.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(rest.subarray(at, lineEnd).toString('latin1'), 16)
    if (rest.length < lineEnd + 2 + size + 2) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(rest.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
