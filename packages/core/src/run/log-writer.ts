import { stripEscapes } from '../strip-escapes'
import { TextWriter } from './text-writer'

/** Where the lines of a log go. */
export interface Lines {
  push(line: string): void
}

/** Makes a log of lines, in UTF-8 and without escape sequences, lone surrogates replaced. */
export class LogWriter implements Lines {
  readonly #text = new TextWriter(stripEscapes)

  push(line: string): void {
    this.#text.write(`${line}\n`)
  }

  /** All lines, each with its end. Nothing can be written any more. */
  finish(): Uint8Array {
    return this.#text.finish()
  }
}
