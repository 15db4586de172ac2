import { listAttachments } from '../record/inspect-attachments'
import type { Environment } from '../config/options'
import { Surveys } from '../record/survey'
import type { Attachment, FileAttachment, Suite } from '../model/suite'
import { copyMasked, maskBytes, type MaskText, type WrittenBytes } from './mask-bytes'
import { maskSuite } from './mask-suite'
import { Masker, MASK, type NoteFound } from './masker'
import { listSecretValues, spellSecrets } from './secret-values'
import { deriveTextKind } from './text-kind'
import { parsePatterns, PatternSearch } from './user-patterns'

export interface RedactorSettings {
  env: Environment
  apiKey: string
  /** The user's own texts and patterns. */
  redact: readonly (string | RegExp)[]
}

/** A key that is shorter is none: it would be found everywhere. */
const SHORTEST_KEY = 4

/** How old the list of secrets may be, in milliseconds: set-up code puts tokens into the environment while tests run. */
const FRESH_MS = 250

/** How a text file is written down without its secrets. */
export interface FileMask {
  /** Undefined when the file is no text after all. Errors are the system's. */
  copy(to: string): Promise<WrittenBytes | undefined>
  /** What was read of it, whole, without secrets; the same bytes when they are no text, or have nothing to mask. */
  maskBytes(bytes: Uint8Array): Uint8Array
}

/** Keeps the secrets of one execution out of all that it writes down and sends. */
export class Redactor {
  readonly #search: PatternSearch | undefined
  readonly #own: readonly string[]
  readonly #ofSuites = new WeakMap<Suite, Set<string>>()
  readonly #ofFiles = new Map<string, Set<string>>()
  #known: string | undefined
  #masker: Masker | undefined
  #madeAtMs = -Infinity
  /** Variables that had nothing to mask. */
  #clean: { variables: object; texts: readonly string[]; masker: Masker } | undefined

  constructor(private readonly settings: RedactorSettings) {
    const { texts, patterns } = parsePatterns(settings.redact)
    this.#own = texts
    this.#search = patterns.length === 0 ? undefined : new PatternSearch(patterns, MASK)
  }

  /** A pattern of the user's took too long, and texts were left out for it. */
  get hasTired(): boolean {
    return this.#search?.hasTired ?? false
  }

  /** Masks the texts of suites, in place; a suite then says how many secrets were found in it and its files. */
  maskTexts(suites: readonly Suite[], surveys = new Surveys()): void {
    const masker = this.#refresh()
    for (const suite of suites) {
      maskSuite(suite, { masker, surveys, note: (secret) => noteIn(this.#setOf(suite))(secret) })
      this.#count(suite)
    }
  }

  /** Masks attachments that are bytes of memory, in place. */
  maskBodies(suites: readonly Suite[]): void {
    for (const suite of suites) {
      for (const attachment of listAttachments([suite])) {
        if (!('bytes' in attachment)) continue
        const mask = this.#maskInto(noteIn(this.#setOf(suite)))
        attachment.bytes = maskBytes(attachment.bytes, deriveTextKind(attachment), mask)
      }
    }
  }

  /** Variables, names and values. */
  maskVariables<Value extends string | undefined>(variables: Record<string, Value>): Record<string, Value> {
    const masker = this.#refresh()
    // Nearly all runs of an execution have the same.
    if (this.#clean?.masker === masker && this.#clean.variables === variables) return variables
    const names = Object.keys(variables)
    const texts: string[] = []
    for (const name of names) texts.push(name, variables[name] ?? '')
    if (this.#clean?.masker === masker && areEqual(this.#clean.texts, texts)) return variables
    const masked = masker.maskAll(texts, () => undefined)
    if (masked === texts) {
      this.#clean = { variables, texts, masker }
      return variables
    }
    return Object.fromEntries(
      names.map((name, index) => [
        masked[index * 2] as string,
        (variables[name] === undefined ? undefined : masked[index * 2 + 1]) as Value,
      ]),
    )
  }

  maskText(text: string): string {
    if (text === '') return text
    return this.#refresh().mask(text, () => undefined)
  }

  /** How a file is written down; undefined for one that is known to be no text. */
  findFileMask(attachment: FileAttachment): FileMask | undefined {
    const kind = deriveTextKind(attachment)
    if (kind === 'binary') return undefined
    const { path } = attachment
    const found = new Set<string>()
    this.#ofFiles.set(path, found)
    const mask = this.#maskInto(noteIn(found))
    return {
      copy: (to) => copyMasked({ from: path, to }, kind, mask),
      maskBytes: (bytes) => maskBytes(bytes, kind, mask),
    }
  }

  #maskInto(noteOwn: NoteFound): MaskText {
    return (text, note = noteOwn) => this.#refresh().mask(text, note)
  }

  #setOf(suite: Suite): Set<string> {
    const found = this.#ofSuites.get(suite) ?? new Set()
    this.#ofSuites.set(suite, found)
    return found
  }

  #count(suite: Suite): void {
    if (this.#ofFiles.size === 0 && !this.#ofSuites.has(suite)) return
    const found = new Set(this.#ofSuites.get(suite))
    for (const attachment of listAttachments([suite]))
      for (const secret of this.#foundIn(attachment)) found.add(secret)
    if (found.size > 0) suite.masked = found.size
  }

  #foundIn(attachment: Attachment): Iterable<string> {
    return ('path' in attachment && this.#ofFiles.get(attachment.path)) || []
  }

  #refresh(): Masker {
    const nowMs = performance.now()
    if (this.#masker && nowMs - this.#madeAtMs < FRESH_MS) return this.#masker
    this.#madeAtMs = nowMs
    const { env, apiKey } = this.settings
    const values = [...listSecretValues(env), ...(apiKey.length < SHORTEST_KEY ? [] : [apiKey])]
    const known = values.join('\0')
    if (this.#masker === undefined || known !== this.#known)
      this.#masker = new Masker(spellSecrets(values, this.#own), this.#search)
    this.#known = known
    return this.#masker
  }
}

function areEqual(texts: readonly string[], others: readonly string[]): boolean {
  return texts.length === others.length && texts.every((text, index) => text === others[index])
}

/** The same secret counts once, whether its lines are broken as in text or as in JSON. */
function noteIn(found: Set<string>): NoteFound {
  return (secret) => found.add(secret.replaceAll(/\\[nrt]|\s/g, ''))
}
