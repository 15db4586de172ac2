import { readOutsideTexts } from '@runledger/readers'
import { isUtf8 } from 'node:buffer'
import { randomUUID } from 'node:crypto'
import { SteadyPace } from './clock'
import { HttpError } from './errors'

/** Most lists and objects in one body: four times as many as in a run of 8 MiB with phases of the usual size. */
export const MAX_CONTAINERS = 400_000

/** Most values in the lists and objects of one body: twice as many as in a run of 8 MiB with the shortest steps. */
export const MAX_VALUES = 800_000

/** Most names in one object: JSON parsers get slow with more. */
export const MAX_NAMES = 10_000

// Smaller bodies, which most are, cannot hold enough to matter.
const SMALL_BYTES = 256 * 1024

const PIECE_BYTES = 64 * 1024

const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/**
 * Parses a large body in pieces, so that other requests are answered meanwhile; a long text or deep nesting can still take a
 * tenth of a second. Undefined when empty. @throws HttpError PARSE_ERROR when malformed, PAYLOAD_TOO_LARGE with too many values
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

const [COMMA, OPEN_LIST, OPEN_OBJECT, CLOSE_LIST, CLOSE_OBJECT] = Buffer.from(',[{]}')

interface Open {
  isList: boolean
  start: number
  from: number
  /** Undefined when it is parsed together with its parent. */
  parsed: unknown[] | undefined
}

interface Parsed {
  start: number
  end: number
  value: unknown
}

/**
 * When a list or object reaches `PIECE_BYTES`, its part so far is parsed; at its end, a mark replaces it in its parent. Bodies
 * that would take gigabytes or seconds are refused: each `[` of `[[[[…` and each `{}` of `{},{},…` takes some sixty bytes.
 */
class LargeJson {
  readonly #payload: Buffer
  readonly #from: number
  // Random, so that no client can send it.
  readonly #mark = randomUUID()
  readonly #open: Open[] = []
  #parsed: Parsed[] = []
  #containers = 0
  #values = 0
  /** For each open object, its number of names minus one; -Infinity for a list. */
  readonly #names: number[] = []

  constructor(payload: Buffer, from: number) {
    this.#payload = payload
    this.#from = from
  }

  async parse(): Promise<unknown> {
    // Count first, so that a refused body costs no parsing.
    const reading = { from: this.#from, pace: new SteadyPace() }
    await readOutsideTexts(this.#payload, this.#count, reading)
    await readOutsideTexts(this.#payload, this.#take, reading)
    if (this.#open.some(({ parsed }) => parsed)) throw new SyntaxError('Unexpected end of JSON input')
    return this.#parse('', this.#from, this.#payload.length)
  }

  readonly #count = (byte: number): void => {
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

  readonly #take = (byte: number, at: number): void => {
    if (byte === COMMA) this.#parseWholePiece(at)
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT)
      this.#open.push({ isList: byte === OPEN_LIST, start: at, from: at + 1, parsed: undefined })
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) this.#end(byte === CLOSE_LIST, at)
  }

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

/** V8's positions are in the text with marks, which the client never sent. */
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
