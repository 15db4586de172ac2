const FIRST_BYTES = 64 * 1024
/** A larger buffer is not kept for the next text, in bytes. */
const KEPT_BYTES = 1024 * 1024
/** A character of a string takes at most so many bytes of UTF-8. */
const WIDEST = 3

let spare: Buffer | undefined

/** Makes a text of parts, in UTF-8, lone surrogates replaced. The text as a whole is not in the heap of objects. */
export class TextWriter {
  #buffer = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  #end = 0

  constructor() {
    spare = undefined
  }

  write(text: string): void {
    const needed = this.#end + text.length * WIDEST
    if (needed > this.#buffer.byteLength) this.#grow(needed)
    this.#end += this.#buffer.write(text, this.#end)
  }

  /** All of it. Nothing can be written any more. */
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
