import { stripEscapes } from '../util/strip-escapes'
import { TextWriter } from './text-writer'

/** Where the lines of a log go. */
export interface Lines {
  push(line: string): void
  /** Whole lines, with their ends. */
  write(lines: string): void
}

/** Makes a log of lines, in UTF-8 and without escape sequences, lone surrogates replaced. */
export class LogWriter extends TextWriter implements Lines {
  constructor() {
    super(stripEscapes)
  }
}
