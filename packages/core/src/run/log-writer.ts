import { stripVTControlCharacters } from 'node:util'
import { TextWriter } from './text-writer'

const ESCAPE = /[\u001B\u009B]/

/** Where the lines of a log go. */
export interface Lines {
  /** A line, in parts where it is made of several: to join them would cost a text for each line. */
  push(first: string, second?: string, third?: string): void
}

/** Makes a log of lines, in UTF-8 and without escape sequences, lone surrogates replaced. */
export class LogWriter implements Lines {
  readonly #text = new TextWriter(joinShown)

  push(first: string, second = '', third = ''): void {
    this.#text.write(first, second, `${third}\n`)
  }

  /** All lines, each with its end. Nothing can be written any more. */
  finish(): Uint8Array {
    return this.#text.finish()
  }
}

/** Each part by itself loses its escape sequences: one that has no end takes nothing of what follows. */
function joinShown(parts: readonly string[]): string {
  const text = parts.join('')
  return ESCAPE.test(text) ? parts.map((part) => stripVTControlCharacters(part)).join('') : text
}
