import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { SteadyPace } from './clock'
import { HttpError } from './errors'

/** Most lists and objects in one body: four times as many as a run of 8 MiB has whose phases are of the usual size. */
export const MAX_CONTAINERS = 400_000

/** Most values in the lists and objects of one body together: twice as many as a run of 8 MiB has of the shortest steps. */
export const MAX_VALUES = 800_000

/** Most names in one object: a parser of JSON gets slow with more. */
export const MAX_NAMES = 10_000

// Below this size no body can hold enough to matter, and most bodies are.
const SMALL_BYTES = 256 * 1024

/** About so much of a large body is parsed at once. */
const PIECE_BYTES = 64 * 1024

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/**
 * The value of a body of JSON, or of a file, as `what` says; undefined of an empty one. Of a large body some pieces are parsed at a time, so that nobody
 * waits meanwhile; one long text, or lists nested for the purpose, still take up to a tenth of a second at once.
 * @throws HttpError PARSE_ERROR when it is malformed, PAYLOAD_TOO_LARGE when too much is in it
 */
export async function parseJson(payload: Buffer, what = 'body'): Promise<unknown> {
  if (payload.length === 0) return undefined
  const from = payload.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
    ? BYTE_ORDER_MARK.length
    : 0
  try {
    if (!isUtf8(payload)) throw new TypeError('it is not UTF-8')
    if (payload.length > SMALL_BYTES) return await new LargeJson(payload, from).parse()
    return JSON.parse(payload.toString('utf8', from)) as unknown
  } catch (error) {
    if (error instanceof TooManyValuesError) throw tooManyValuesError(what)
    const reason = error instanceof Error ? error.message : String(error)
    throw new HttpError('PARSE_ERROR', `The ${what} is not valid JSON: ${reason}`, { cause: error })
  }
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = Buffer.from('"\\,[{]}')

/** A list or object whose end has not come yet. */
interface Open {
  isList: boolean
  /** Where it begins, and where that part of it begins that is not parsed. */
  start: number
  from: number
  /** What is parsed of it: entries of a list, names and values of an object. Undefined when it is parsed with what it is in. */
  parsed: unknown[] | undefined
}

/** A list or object that is parsed, and the bytes that it came from. */
interface Parsed {
  start: number
  end: number
  value: unknown
}

/**
 * A large body, read from its beginning to its end. Whenever a list or object has gone on for `PIECE_BYTES`, what came of
 * it is parsed; at its end, what it is in has a mark in its place. Refused are bodies that would take gigabytes of memory,
 * or seconds, once they are parsed: `[[[[…` and `{},{},…` take some sixty bytes for each of theirs.
 */
class LargeJson {
  readonly #payload: Buffer
  readonly #from: number
  readonly #pace = new SteadyPace()
  // Nobody can send it.
  readonly #mark = randomUUID()
  readonly #open: Open[] = []
  #parsed: Parsed[] = []
  #containers = 0
  #values = 0
  /** How many names there are, but for one, in each object whose end has not come; of a list, which has none, -Infinity. */
  readonly #names: number[] = []

  constructor(payload: Buffer, from: number) {
    this.#payload = payload
    this.#from = from
  }

  async parse(): Promise<unknown> {
    // First of all, so that what is refused costs no parsing.
    await this.#read(this.#count)
    await this.#read(this.#take)
    if (this.#open.some(({ parsed }) => parsed)) throw new SyntaxError('Unexpected end of JSON input')
    return this.#parse('', this.#from, this.#payload.length)
  }

  /** Hands over what is outside of texts, a byte at a time. */
  async #read(handle: (byte: number | undefined, at: number) => void): Promise<void> {
    let restAt = this.#from
    for (let at = this.#from; at < this.#payload.length; at += 1) {
      if (at >= restAt) {
        restAt = at + PIECE_BYTES
        if (this.#pace.isOver) await this.#pace.rest()
      }
      const byte = this.#payload[at]
      if (byte === QUOTE) at = findStringEnd(this.#payload, at)
      else handle(byte, at)
    }
  }

  readonly #count = (byte: number | undefined): void => {
    if (byte === COMMA) {
      this.#values += 1
      const names = this.#names.pop()
      if (names !== undefined) this.#names.push(names + 1)
      if (this.#values > MAX_VALUES || (names ?? 0) + 1 >= MAX_NAMES) throw new TooManyValuesError()
    } else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      this.#containers += 1
      if (this.#containers > MAX_CONTAINERS) throw new TooManyValuesError()
      this.#names.push(byte === OPEN_LIST ? -Infinity : 0)
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#names.pop()
  }

  readonly #take = (byte: number | undefined, at: number): void => {
    if (byte === COMMA) this.#parseWholePiece(at)
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT)
      this.#open.push({ isList: byte === OPEN_LIST, start: at, from: at + 1, parsed: undefined })
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#end(byte === CLOSE_LIST, at)
  }

  /** Parses what came of the innermost list or object up to this comma, when that is enough. */
  #parseWholePiece(at: number): void {
    const open = this.#open.at(-1)
    if (!open || at - open.from < PIECE_BYTES) return
    this.#parsePiece(open, at)
    open.from = at + 1
  }

  #end(isList: boolean, at: number): void {
    const open = this.#open.pop()
    if (!open?.parsed) return
    if (open.isList !== isList) throw new SyntaxError(`Unexpected token at byte ${at}`)
    const parsed = this.#parsePiece(open, at)
    const value = isList ? parsed : Object.fromEntries(parsed as [string, unknown][])
    this.#parsed.push({ start: open.start, end: at + 1, value })
  }

  #parsePiece(open: Open, end: number): unknown[] {
    const piece = this.#parse(open.isList ? '[]' : '{}', open.from, end) as object
    const entries: unknown[] = Array.isArray(piece) ? piece : Object.entries(piece)
    if (entries.length === 0) throw new SyntaxError(`A value is missing at byte ${end}`)
    open.parsed ??= []
    for (const entry of entries) open.parsed.push(entry)
    return open.parsed
  }

  #parse(brackets: string, from: number, end: number): unknown {
    const first = this.#parsed.findLastIndex(({ start }) => start < from) + 1
    const inside = this.#parsed.splice(first)
    let [text = '', at] = [brackets[0], from]
    for (const [index, parsed] of inside.entries()) {
      text += `${this.#payload.toString('utf8', at, parsed.start)}["${this.#mark}",${index}]`
      at = parsed.end
    }
    text += this.#payload.toString('utf8', at, end) + (brackets[1] ?? '')
    const value = parsePart(text, from, end)
    return inside.length === 0 ? value : this.#putBack(value, inside)
  }

  /** Puts what was parsed before in the place of its mark. */
  #putBack(value: unknown, parsed: readonly Parsed[]): unknown {
    const root = { value }
    const left: object[] = [root]
    for (let one = left.pop(); one; one = left.pop()) {
      for (const [name, inner] of Object.entries(one) as [string, unknown][]) {
        if (typeof inner !== 'object' || inner === null) continue
        const [mark, index] = Array.isArray(inner) ? (inner as unknown[]) : []
        if (mark === this.#mark) Reflect.set(one, name, parsed[index as number]?.value)
        else left.push(inner)
      }
    }
    return root.value
  }
}

/** The position that V8 tells counts in a text that nobody sent, with marks in it. */
function parsePart(text: string, from: number, end: number): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SyntaxError(`it is malformed between bytes ${from} and ${end}`, { cause: error })
  }
}

class TooManyValuesError extends Error {}

function tooManyValuesError(what: string): HttpError {
  const most = `${MAX_CONTAINERS} lists and objects, ${MAX_VALUES} values, or ${MAX_NAMES} names in one object`
  return new HttpError('PAYLOAD_TOO_LARGE', `The ${what} has more than ${most}. Send less in one request.`)
}

/** Where the string ends that begins here; the end of the body when it does not. */
function findStringEnd(payload: Buffer, start: number): number {
  let end = start + 1
  while (end < payload.length && payload[end] !== QUOTE) end += payload[end] === BACKSLASH ? 2 : 1
  return end
}
