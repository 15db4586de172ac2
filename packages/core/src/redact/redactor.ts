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
  redact: readonly (string | RegExp)[]
}

/** A shorter key would match everywhere. */
export const SHORTEST_KEY = 4

/** The maximum age of the list of secrets: set-up code adds tokens to the environment while tests run. */
const FRESH_MS = 250

export interface FileMask {
  /** Undefined if the file turns out to be binary. */
  copy(to: string): Promise<Digest | undefined>
  /** The file's bytes without secrets; the same bytes if there is nothing to mask. */
  maskBytes(bytes: Uint8Array): Uint8Array
}

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

  /** A user's pattern took too long, so texts were masked whole. */
  get hasTimedOut(): boolean {
    return this.#search?.hasTimedOut ?? false
  }

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

  maskBodies(suites: readonly Suite[]): void {
    for (const suite of suites) {
      for (const attachment of listAttachments([suite])) {
        if (!('bytes' in attachment)) continue
        const mask = this.#maskInto(noteIn(this.#setOf(suite)))
        attachment.bytes = maskBytes(attachment.bytes, findTextKind(attachment), mask)
      }
    }
  }

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

  /** Undefined for a binary file. */
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

/** By media type, or by name without one. */
export function findTextKind(attachment: Attachment): TextKind {
  return deriveTextKind(deriveMediaType(attachment, formatFileName(attachment)))
}

/** A secret counts once, whether its line breaks are those of text or of JSON. */
function noteIn(found: Set<string>): NoteSecret {
  return (secret) => found.add(secret.replaceAll(/\\[nrt]|\s/g, ''))
}
