const FIRST_BYTES = 64 * 1024
/** A larger buffer is not kept for the next text, in bytes. */
const KEPT_BYTES = 1024 * 1024
/** A character of a string takes at most so many bytes of UTF-8. */
const WIDEST = 3
/** How much waits to be written together, in UTF-16 code units: a call for each text would cost more than its copying. */
const TOGETHER = 16 * 1024

let spare: Buffer | undefined

/** Makes a text of others, in UTF-8, lone surrogates replaced. As a whole it is not in the heap of objects. */
export class TextWriter {
  #buffer = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  #end = 0
  #waiting = ''

  /** `show` is given whole texts, several together, and answers what is written of them. */
  constructor(private readonly show: (texts: string) => string = (texts) => texts) {
    spare = undefined
  }

  write(text: string): void {
    this.#waiting += text
    if (this.#waiting.length >= TOGETHER) this.#flush()
  }

  /** The same for a line, with its end. */
  push(line: string): void {
    this.#waiting += line
    this.#waiting += '\n'
    if (this.#waiting.length >= TOGETHER) this.#flush()
  }

  /** All of it. Nothing can be written any more. */
  finish(): Uint8Array {
    this.#flush()
    const bytes = Buffer.allocUnsafeSlow(this.#end)
    this.#buffer.copy(bytes, 0, 0, this.#end)
    if (this.#buffer.byteLength <= KEPT_BYTES) spare = this.#buffer
    this.#buffer = Buffer.alloc(0)
    this.#end = 0
    return bytes
  }

  #flush(): void {
    const text = this.show(this.#waiting)
    this.#waiting = ''
    const needed = this.#end + text.length * WIDEST
    if (needed > this.#buffer.byteLength) this.#grow(needed)
    this.#end += this.#buffer.write(text, this.#end)
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.byteLength * 2))
    this.#buffer.copy(larger, 0, 0, this.#end)
    this.#buffer = larger
  }
}
