import { stripVTControlCharacters } from 'node:util'

const FIRST_BYTES = 64 * 1024
/** A larger buffer is not kept for the next log, in bytes. */
const KEPT_BYTES = 1024 * 1024
/** A character of a string takes at most so many bytes of UTF-8. */
const WIDEST = 3
const NEWLINE = 0x0a
const ESCAPE = /[\u001B\u009B]/

let spare: Buffer | undefined

/** Where the lines of a log go. */
export interface Lines {
  /** A line, in two parts where it has some of ours before it: to join them would cost a text for each line. */
  push(line: string, rest?: string): void
}

/**
 * Makes a log of lines, in UTF-8 and without escape sequences, lone surrogates replaced. The lines are encoded one by one:
 * the text as a whole is not in the heap.
 */
export class LogWriter implements Lines {
  #buffer = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  #end = 0

  constructor() {
    spare = undefined
  }

  push(line: string, rest = ''): void {
    this.#write(line)
    if (rest !== '') this.#write(rest)
    this.#buffer[this.#end] = NEWLINE
    this.#end += 1
  }

  /** Leaves room for the end of the line. */
  #write(text: string): void {
    const plain = ESCAPE.test(text) ? stripVTControlCharacters(text) : text
    const needed = this.#end + plain.length * WIDEST + 1
    if (needed > this.#buffer.byteLength) this.#grow(needed)
    this.#end += this.#buffer.write(plain, this.#end)
  }

  /** All lines, each with its end. Nothing can be written any more. */
  finish(): Uint8Array {
    const bytes = Buffer.from(this.#buffer.subarray(0, this.#end))
    if (this.#buffer.byteLength <= KEPT_BYTES) spare = this.#buffer
    this.#buffer = Buffer.alloc(0)
    this.#end = 0
    return bytes
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.byteLength * 2))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}
