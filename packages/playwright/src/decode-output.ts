import { StringDecoder } from 'node:string_decoder'
import type { OutputEntry } from '@runledger/core'

type Decoders = Record<OutputEntry['stream'], StringDecoder>

/** Piped output may be split inside a character. */
export class OutputText {
  readonly #decoders = new WeakMap<object, Decoders>()

  decode(chunk: string | Uint8Array, stream: OutputEntry['stream'], source: object = this): string {
    if (typeof chunk === 'string') return chunk
    const decoders = this.#decoders.get(source) ?? {
      stdout: new StringDecoder(),
      stderr: new StringDecoder(),
    }
    this.#decoders.set(source, decoders)
    return decoders[stream].write(chunk)
  }
}
