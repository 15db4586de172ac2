import { isStorable, MAX_TEXT_LENGTH, toStorableText } from '@runledger/protocol'
import { type FilePath, formatPath, wholeOf } from './read-error'

const MAX_NOTES = 20

/** Changes and omissions of a reader: the first ones word for word, and the number of the others. */
export class Notes {
  readonly warnings: string[] = []
  more = 0

  /** `locate` maps a place in the converted report to its place in the file. */
  constructor(private readonly locate = (path: FilePath) => path) {}

  add(path: FilePath, message: string): void {
    if (this.warnings.length < MAX_NOTES) this.warnings.push(this.#describe(path, message))
    else this.more += 1
  }

  /** Adds a note before all others. */
  addFirst(path: FilePath, message: string): void {
    this.warnings.unshift(this.#describe(path, message))
    if (this.warnings.length <= MAX_NOTES) return
    this.warnings.pop()
    this.more += 1
  }

  #describe(path: FilePath, message: string): string {
    return `${formatPath(wholeOf(this.locate(path)))} ${message}`.trim()
  }

  /** A storable text; a change is noted. */
  text(text: string, path: FilePath): string {
    if (text.length <= MAX_TEXT_LENGTH && isStorable(text)) return text
    const what = text.length > MAX_TEXT_LENGTH ? `was cut at ${MAX_TEXT_LENGTH} characters` : UNSTORABLE
    this.add(path, what)
    return toStorableText(text)
  }

  /** A storable text of any length. */
  longText(text: string, path: FilePath): string {
    if (isStorable(text)) return text
    this.add(path, UNSTORABLE)
    return text.replaceAll('\0', '').toWellFormed()
  }
}

const UNSTORABLE = 'had NUL characters or lone surrogates, which were removed or replaced'
