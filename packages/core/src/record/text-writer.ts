const FIRST_BYTES = 64 * 1024
/** A larger buffer is not kept for the next text, in bytes. */
const KEPT_BYTES = 1024 * 1024
/** A character of a string takes at most so many bytes of UTF-8. */
const WIDEST = 3
/** How much waits to be written together, in UTF-16 code units: a call for each text would cost more than its copying. */
export const TOGETHER = 16 * 1024

let spare: Buffer | undefined

/** Makes a text of others, in UTF-8, lone surrogates replaced. As a whole it is not in the heap of objects. */
export class TextWriter {
  #buffer: Buffer | undefined
  #end = 0
  #waiting = ''

  /** `show` is given whole texts, several together, and answers what is written of them. */
  constructor(private readonly show: (texts: string) => string = (texts) => texts) {}

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
    const text = this.#takeWaiting()
    if (this.#buffer === undefined) return Buffer.from(text)
    const buffer = this.#add(this.#buffer, text)
    const bytes = Buffer.allocUnsafeSlow(this.#end)
    buffer.copy(bytes, 0, 0, this.#end)
    if (buffer.byteLength <= KEPT_BYTES) spare = buffer
    this.#buffer = undefined
    this.#end = 0
    return bytes
  }

  #flush(): void {
    this.#buffer = this.#add(this.#buffer ?? takeSpare(), this.#takeWaiting())
  }

  #takeWaiting(): string {
    const text = this.show(this.#waiting)
    this.#waiting = ''
    return text
  }

  /** Answers where it all is then. */
  #add(buffer: Buffer, text: string): Buffer {
    const neededBytes = this.#end + text.length * WIDEST
    const roomy = neededBytes > buffer.byteLength ? this.#grow(buffer, neededBytes) : buffer
    this.#end += roomy.write(text, this.#end)
    return roomy
  }

  #grow(buffer: Buffer, neededBytes: number): Buffer {
    const larger = Buffer.allocUnsafeSlow(Math.max(neededBytes, buffer.byteLength * 2))
    buffer.copy(larger, 0, 0, this.#end)
    return larger
  }
}

function takeSpare(): Buffer {
  const buffer = spare ?? Buffer.allocUnsafeSlow(FIRST_BYTES)
  spare = undefined
  return buffer
}
