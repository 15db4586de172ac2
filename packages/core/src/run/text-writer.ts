const FIRST_BYTES = 64 * 1024
/** A larger buffer is not kept for the next text, in bytes. */
const KEPT_BYTES = 1024 * 1024
/** A character of a string takes at most so many bytes of UTF-8. */
const WIDEST = 3
/** How much waits to be written together, in UTF-16 code units: a call for each part would cost more than its copying. */
const TOGETHER = 16 * 1024

let spare: Buffer | undefined

/** Makes a text of parts, in UTF-8, lone surrogates replaced. The text as a whole is not in the heap of objects. */
export class TextWriter {
  #buffer = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  #end = 0
  #parts: string[] = []
  #waiting = 0

  /** `join` makes one text of parts, in their order. */
  constructor(private readonly join: (parts: readonly string[]) => string = joinParts) {
    spare = undefined
  }

  /** One part after the other. */
  write(first: string, second = '', third = ''): void {
    this.#parts.push(first, second, third)
    this.#waiting += first.length + second.length + third.length
    if (this.#waiting >= TOGETHER) this.#flush()
  }

  /** All of it. Nothing can be written any more. */
  finish(): Uint8Array {
    this.#flush()
    const bytes = Buffer.from(this.#buffer.subarray(0, this.#end))
    if (this.#buffer.byteLength <= KEPT_BYTES) spare = this.#buffer
    this.#buffer = Buffer.alloc(0)
    this.#end = 0
    return bytes
  }

  #flush(): void {
    const text = this.join(this.#parts)
    this.#parts = []
    this.#waiting = 0
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

function joinParts(parts: readonly string[]): string {
  return parts.join('')
}
