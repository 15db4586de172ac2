import { stripVTControlCharacters } from 'node:util'
import { TextWriter } from './text-writer'

const ESCAPE = /[\u001B\u009B]/

/** Where the lines of a log go. */
export interface Lines {
  push(line: string): void
}

/** Makes a log of lines, in UTF-8 and without escape sequences, lone surrogates replaced. */
export class LogWriter implements Lines {
  readonly #text = new TextWriter(show)

  push(line: string): void {
    this.#text.write(`${line}\n`)
  }

  /** All lines, each with its end. Nothing can be written any more. */
  finish(): Uint8Array {
    return this.#text.finish()
  }
}

/** Each line by itself loses its escape sequences: one that has no end takes nothing of the next line. */
function show(lines: string): string {
  if (!ESCAPE.test(lines)) return lines
  return lines
    .split('\n')
    .map((line) => stripVTControlCharacters(line))
    .join('\n')
}
