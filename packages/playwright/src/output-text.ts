import { StringDecoder } from 'node:string_decoder'
import type { OutputEntry } from '@runledger/core'

/** Makes text of output chunks: what a test pipes from a child process is cut anywhere, also inside a character. */
export class OutputText {
  readonly #decoders = new WeakMap<object, Record<OutputEntry['stream'], StringDecoder>>()

  /** Reads the next chunk of a source, such as an attempt. */
  read(chunk: string | Buffer, stream: OutputEntry['stream'], source: object = this): string {
    return typeof chunk === 'string' ? chunk : this.#open(source)[stream].write(chunk)
  }

  #open(source: object): Record<OutputEntry['stream'], StringDecoder> {
    const known = this.#decoders.get(source)
    if (known !== undefined) return known
    const opened = { stdout: new StringDecoder(), stderr: new StringDecoder() }
    this.#decoders.set(source, opened)
    return opened
  }
}
