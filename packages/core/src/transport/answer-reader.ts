import { MAX_ANSWER_BYTES } from './transport'

/** What is read of an answer. */
export interface Answer {
  statusCode: number
  retryAfter: string | undefined
  body: string
}

/** Longest head, or line between chunks, in bytes. */
const MAX_HEAD_BYTES = 64 * 1024
const LINE_END = '\r\n'
const HEAD_END = '\r\n\r\n'
const NOTHING = Buffer.alloc(0)

/** Answers whose body is empty whatever their head says (RFC 9112, 6.3). */
const BODILESS = new Set([204, 304])

type Stage = 'head' | 'sized' | 'to the end' | 'chunk size' | 'chunk' | 'chunk end' | 'trailers' | 'whole'

/**
 * Reads one answer of HTTP/1.1 (RFC 9112) to a request that is no HEAD, as its bytes come in. It takes what the standard
 * says and nothing else: an answer that could be read in two ways is an error, and every call ends.
 */
export class AnswerReader {
  #stage: Stage = 'head'
  /** What has come in and was not read yet: less than a head. */
  #rest: Buffer = NOTHING
  readonly #body: Buffer[] = []
  #bodyBytes = 0
  /** Of the body, or of its chunk. */
  #leftBytes = 0
  #statusCode = 0
  #headers: ReadonlyMap<string, string> = new Map()
  #isPersistent = false

  /** True when the answer is whole. @throws Error when it is none of HTTP, or too long. */
  read(bytes: Buffer): boolean {
    this.#rest = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    // Each step takes something away, or waits for more.
    while (this.#rest.byteLength > 0 && this.#readOn()) continue
    return this.isWhole
  }

  /** The connection has ended. @throws Error when the answer has not. */
  end(): void {
    if (this.#stage === 'to the end') this.#stage = 'whole'
    if (this.isWhole) return
    const where = this.#statusCode === 0 ? 'without an answer' : 'in the middle of the answer'
    throw Object.assign(new Error(`the connection was closed ${where}`), { code: 'ECONNRESET' })
  }

  get isWhole(): boolean {
    return this.#stage === 'whole'
  }

  get answer(): Answer {
    const body = this.#body.length === 1 ? (this.#body[0] as Buffer) : Buffer.concat(this.#body)
    return {
      statusCode: this.#statusCode,
      retryAfter: this.#headers.get('retry-after'),
      body: body.toString('utf8'),
    }
  }

  /** Whether the connection can be used for another exchange. */
  get isPersistent(): boolean {
    return this.#isPersistent && this.#rest.byteLength === 0
  }

  /** How long the service says that it leaves the connection open, in seconds. */
  get keepAliveSeconds(): number | undefined {
    const found = /(?:^|[\s,;])timeout=(\d+)/i.exec(this.#headers.get('keep-alive') ?? '')
    return found ? Number(found[1]) : undefined
  }

  /** False when more must come in first. */
  #readOn(): boolean {
    switch (this.#stage) {
      case 'head':
        return this.#readHead()
      case 'sized':
        return this.#readPart('whole')
      case 'to the end':
        this.#take(this.#rest.byteLength)
        return false
      case 'chunk size':
        return this.#readChunkSize()
      case 'chunk':
        return this.#readPart('chunk end')
      case 'chunk end':
        return this.#readChunkEnd()
      case 'trailers':
        return this.#readTrailer()
      default:
        return false
    }
  }

  #readHead(): boolean {
    const head = this.#takeThrough(HEAD_END)
    if (head === undefined) return false
    const [statusLine = '', ...lines] = head.split(LINE_END)
    const found = /^HTTP\/1\.([01]) (\d{3})(?: .*)?$/.exec(statusLine)
    if (!found) throw new Error('the answer is none of HTTP/1.1')
    const statusCode = Number(found[2])
    if (statusCode === 101) throw new Error('the service changed to another protocol, unasked')
    // What comes before the answer itself is told to browsers.
    if (statusCode < 200) return true
    const headers = readHeaders(lines)
    this.#statusCode = statusCode
    this.#headers = headers
    const connection = listTokens(headers.get('connection'))
    this.#isPersistent = found[1] === '1' ? !connection.includes('close') : connection.includes('keep-alive')
    this.#beginBody(headers)
    // It knows no codings, so somebody on the way may have read another body (RFC 9112, 6.1).
    if (found[1] === '0' && headers.has('transfer-encoding')) this.#isPersistent = false
    return true
  }

  #beginBody(headers: ReadonlyMap<string, string>): void {
    const codings = headers.get('transfer-encoding')
    const length = headers.get('content-length')
    if (BODILESS.has(this.#statusCode)) this.#stage = 'whole'
    else if (codings !== undefined) {
      if (codings.toLowerCase() !== 'chunked') throw new Error('the transfer coding of the answer is unknown')
      // Two lengths at once: somebody on the way may believe the other one (RFC 9112, 6.1).
      if (length !== undefined) this.#isPersistent = false
      this.#stage = 'chunk size'
    } else if (length === undefined) {
      this.#isPersistent = false
      this.#stage = 'to the end'
    } else this.#expect(readLength(length), 'sized', 'whole')
  }

  #readChunkSize(): boolean {
    const line = this.#takeThrough(LINE_END)
    if (line === undefined) return false
    const found = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line)
    if (!found) throw new Error('a chunk of the answer has no length')
    this.#expect(Number.parseInt(found[1] as string, 16), 'chunk', 'trailers')
    return true
  }

  #readChunkEnd(): boolean {
    const line = this.#takeThrough(LINE_END)
    if (line === undefined) return false
    if (line !== '') throw new Error('a chunk of the answer is longer than it says')
    this.#stage = 'chunk size'
    return true
  }

  #readTrailer(): boolean {
    const line = this.#takeThrough(LINE_END)
    if (line === undefined) return false
    if (line === '') this.#stage = 'whole'
    else readHeaders([line])
    return true
  }

  #expect(sizeBytes: number, next: Stage, ifNone: Stage): void {
    refuseTooLong(this.#bodyBytes + sizeBytes)
    this.#leftBytes = sizeBytes
    this.#stage = sizeBytes === 0 ? ifNone : next
  }

  #readPart(next: Stage): boolean {
    const sizeBytes = Math.min(this.#leftBytes, this.#rest.byteLength)
    this.#take(sizeBytes)
    this.#leftBytes -= sizeBytes
    if (this.#leftBytes === 0) this.#stage = next
    return true
  }

  #take(sizeBytes: number): void {
    this.#bodyBytes += sizeBytes
    refuseTooLong(this.#bodyBytes)
    this.#body.push(this.#rest.subarray(0, sizeBytes))
    this.#rest = this.#rest.subarray(sizeBytes)
  }

  /** The text up to this mark, which goes with it; undefined when it has not come in yet. */
  #takeThrough(mark: string): string | undefined {
    const end = this.#rest.indexOf(mark, 0, 'latin1')
    if (end > MAX_HEAD_BYTES || (end < 0 && this.#rest.byteLength > MAX_HEAD_BYTES))
      throw new Error(`the head of the answer is longer than ${MAX_HEAD_BYTES} bytes`)
    if (end < 0) return undefined
    const text = this.#rest.toString('latin1', 0, end)
    this.#rest = this.#rest.subarray(end + mark.length)
    return text
  }
}

/** By name in lower case. Of one that comes twice the first counts, lists are put together. @throws Error */
function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const found = /^([^\s:]+):[ \t]*(.*?)[ \t]*$/.exec(line)
    if (!found) throw new Error('the answer has a header that is none')
    const name = (found[1] as string).toLowerCase()
    const value = found[2] as string
    const earlier = headers.get(name)
    if (earlier === undefined) headers.set(name, value)
    else if (name !== 'retry-after') headers.set(name, `${earlier}, ${value}`)
  }
  return headers
}

function listTokens(value = ''): string[] {
  return value.split(',').map((token) => token.trim().toLowerCase())
}

/** The same length told several times is one (RFC 9110, 8.6). @throws Error */
function readLength(value: string): number {
  const [length = '', ...others] = new Set(value.split(',').map((each) => each.trim()))
  if (others.length > 0 || !/^\d{1,15}$/.test(length)) throw new Error('the length of the answer is none')
  return Number(length)
}

function refuseTooLong(sizeBytes: number): void {
  if (sizeBytes > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
}
