import {
  copyMasked,
  deriveTextKind,
  listSecretValues,
  MASK,
  maskBytes,
  Masker,
  type MaskText,
  type NoteSecret,
  parsePatterns,
  PatternSearch,
  spellSecrets,
  type TextKind,
} from '@runledger/redact'
import type { Environment } from '../config/options'
import { deriveMediaType, formatFileName } from '../model/attachment-file'
import { type Attachment, type FileAttachment, listAttachments, type Suite } from '../model/suite'
import type { Digest } from '../util/files'
import { maskRecord } from './mask-record'

export interface RedactorSettings {
  env: Environment
  apiKey: string
  /** The user's own texts and patterns. */
  redact: readonly (string | RegExp)[]
}

/** A shorter API key would be found everywhere. */
export const SHORTEST_KEY = 4

/** How old the list of secrets may be, in milliseconds: set-up code puts tokens into the environment while tests run. */
const FRESH_MS = 250

/** How a text file is written without its secrets. */
export interface FileMask {
  /** Undefined when the file is binary after all. Errors are the system's. */
  copy(to: string): Promise<Digest | undefined>
  /** The whole file's bytes without secrets; the same bytes when they are binary, or have nothing to mask. */
  maskBytes(bytes: Uint8Array): Uint8Array
}

/** Keeps the secrets of one execution out of all that is written and sent. */
export class Redactor {
  readonly #search: PatternSearch | undefined
  readonly #own: readonly string[]
  readonly #ofSuites = new WeakMap<Suite, Set<string>>()
  readonly #ofFiles = new Map<string, Set<string>>()
  #masker: Masker | undefined
  #madeAtMs = -Infinity
  #madeOf = ''

  constructor(private readonly settings: RedactorSettings) {
    const { texts, patterns } = parsePatterns(settings.redact)
    this.#own = texts
    this.#search = patterns.length === 0 ? undefined : new PatternSearch(patterns, MASK)
  }

  /** A pattern of the user's took too long, and texts were masked whole for it. */
  get hasTimedOut(): boolean {
    return this.#search?.hasTimedOut ?? false
  }

  /** Masks the texts of suites, in place; a suite then says how many secrets were found in it and its files. */
  maskTexts(suites: readonly Suite[]): void {
    for (const suite of suites) {
      const own = this.#setOf(suite)
      maskRecord(suite, this.#getMasker(), noteIn(own))
      const files = listAttachments([suite]).filter((attachment) => 'path' in attachment)
      const ofFiles = files.flatMap(({ path }) => [...(this.#ofFiles.get(path) ?? [])])
      const found = new Set([...own, ...ofFiles])
      if (found.size > 0) suite.masked = found.size
    }
  }

  /** Masks attachments that are bytes of memory, in place. */
  maskBodies(suites: readonly Suite[]): void {
    for (const suite of suites) {
      for (const attachment of listAttachments([suite])) {
        if (!('bytes' in attachment)) continue
        const mask = this.#maskInto(noteIn(this.#setOf(suite)))
        attachment.bytes = maskBytes(attachment.bytes, findTextKind(attachment), mask)
      }
    }
  }

  /** Variables without secrets, in names and values. */
  maskVariables(variables: Record<string, string | undefined>): Record<string, string | undefined> {
    const mask = (texts: string[]): readonly string[] => this.#getMasker().maskAll(texts, () => undefined)
    const names = mask(Object.keys(variables))
    const given = Object.values(variables)
    const values = mask(given.map((value) => value ?? ''))
    return Object.fromEntries(given.map((value, index) => [names[index], value && values[index]]))
  }

  maskText(text: string): string {
    return this.#getMasker().mask(text, () => undefined)
  }

  /** Undefined for a file that is known to be binary. */
  findFileMask(attachment: FileAttachment): FileMask | undefined {
    const kind = findTextKind(attachment)
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

  #maskInto(noteOwn: NoteSecret): MaskText {
    return (text, note = noteOwn) => this.#getMasker().mask(text, note)
  }

  #setOf(suite: Suite): Set<string> {
    const found = this.#ofSuites.get(suite) ?? new Set()
    this.#ofSuites.set(suite, found)
    return found
  }

  #getMasker(): Masker {
    const nowMs = performance.now()
    if (this.#masker && nowMs - this.#madeAtMs < FRESH_MS) return this.#masker
    this.#madeAtMs = nowMs
    const { env, apiKey } = this.settings
    const values = [...listSecretValues(env), ...(apiKey.length < SHORTEST_KEY ? [] : [apiKey])]
    const key = values.join('\0')
    if (this.#masker && key === this.#madeOf) return this.#masker
    this.#madeOf = key
    this.#masker = new Masker(spellSecrets(values, this.#own), this.#search)
    return this.#masker
  }
}

/** By an attachment's media type, or by its name where it has none. */
export function findTextKind(attachment: Attachment): TextKind {
  return deriveTextKind(deriveMediaType(attachment, formatFileName(attachment)))
}

/** The same secret counts once, whether its lines are broken as in text or as in JSON. */
function noteIn(found: Set<string>): NoteSecret {
  return (secret) => found.add(secret.replaceAll(/\\[nrt]|\s/g, ''))
}
