import { readFileSync, type Stats, statSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import { describeError } from '../model/errors'
import { type Attachment, type FileAttachment, listAttachments, type Suite } from '../model/suite'
import { type FileMask, findTextKind, type Redactor } from '../redact/redactor'
import type { FileStore } from '../spool/file-store'
import type { UncopiedFile, StoredFile } from '../spool/log-lines'
import { codeOf } from '../util/files'
import type { LogWriter } from './log-writer'

/** Larger files are copied in the background, because the framework waits while a suite is recorded. */
const MAX_COPIED_BYTES = 4 * 1024 * 1024
/** After this many bytes of one suite, the rest is copied in the background too. */
const MAX_SUITE_BYTES = 32 * 1024 * 1024
/** Without a spool, a larger text is not searched for secrets. */
const MAX_MEMORY_BYTES = 16 * 1024 * 1024

const COPIES_AT_ONCE = 2

/** Where an attachment's bytes are: in the spool, in the framework's own file, or in memory; or why it cannot be sent. */
export type KeptAttachment = StoredFile | UncopiedFile | { bytes: Uint8Array; sizeBytes: number } | Refusal

export interface Refusal {
  refusal: string
}

export class AttachmentStore {
  /** By path and kind of text: an unchanged file is stored once. */
  readonly #known = new Map<string, { stats: Stats; kept: KeptAttachment }>()
  readonly #copies = new Map<UncopiedFile, Promise<KeptAttachment>>()
  readonly #limit = pLimit(COPIES_AT_ONCE)
  #hasFailed = false

  constructor(private readonly settings: { log: LogWriter; redactor: Redactor; maxBytes: number }) {}

  /** Undefined without a writable spool: then attachments are sent from their own files or from memory. */
  get #files(): FileStore | undefined {
    return this.#hasFailed ? undefined : this.settings.log.files
  }

  /** Keeps all attachments before it returns, except large files. Masks bytes in memory in place. */
  keepAll(suites: readonly Suite[]): Map<Attachment, KeptAttachment> {
    this.settings.redactor.maskBodies(suites)
    const kept = new Map<Attachment, KeptAttachment>()
    let leftBytes = MAX_SUITE_BYTES
    for (const attachment of listAttachments(suites)) {
      const each = this.#keep(attachment, Math.min(leftBytes, MAX_COPIED_BYTES))
      if ('file' in each) leftBytes -= each.sizeBytes
      kept.set(attachment, each)
    }
    return kept
  }

  keepText(text: string): KeptAttachment {
    return this.#keepBytes(Buffer.from(text), '.log')
  }

  async settled(): Promise<void> {
    await Promise.all(this.#copies.values())
  }

  async waitForCopy<Content>(content: Content | UncopiedFile): Promise<Content | KeptAttachment> {
    return isUncopied(content) ? ((await this.#copies.get(content)) ?? content) : content
  }

  /** The original, if there is no time to wait for its copy. */
  withoutCopy<Content>(content: Content | UncopiedFile): Content | KeptAttachment {
    const isUnsearched = isUncopied(content) && content.isUnmasked
    return isUnsearched ? { refusal: 'it could not be searched for secrets in time' } : content
  }

  #keep(attachment: Attachment, copyBytes: number): KeptAttachment {
    if ('path' in attachment) return this.#keepFile(attachment, copyBytes)
    const refusal = this.#refuseLarge(attachment.bytes.byteLength)
    return refusal ?? this.#keepBytes(attachment.bytes, '')
  }

  #refuseLarge(sizeBytes: number): Refusal | undefined {
    const { maxBytes } = this.settings
    if (sizeBytes <= maxBytes) return undefined
    return { refusal: `its ${sizeBytes} bytes are over maxAttachmentBytes (${maxBytes})` }
  }

  #keepFile(attachment: FileAttachment, copyBytes: number): KeptAttachment {
    const stats = statFile(attachment.path)
    if ('refusal' in stats) return stats
    const key = JSON.stringify([attachment.path, findTextKind(attachment)])
    const known = this.#known.get(key)
    if (known && isUnchanged(known.stats, stats)) return known.kept
    const kept = this.#refuseLarge(stats.size) ?? this.#keepChanged(attachment, stats, copyBytes)
    this.#known.set(key, { stats, kept })
    return kept
  }

  #keepChanged(attachment: FileAttachment, stats: Stats, copyBytes: number): KeptAttachment {
    const mask = this.settings.redactor.findFileMask(attachment)
    const named: UncopiedFile = { path: attachment.path, sizeBytes: stats.size, changedAtMs: stats.mtimeMs }
    if (this.#files === undefined) return maskInMemory(named, mask)
    if (stats.size <= copyBytes) {
      const bytes = readMasked(attachment.path, mask)
      return 'refusal' in bytes ? bytes : this.#keepBytes(bytes, path.extname(attachment.path))
    }
    const unmasked: UncopiedFile = mask === undefined ? named : { ...named, isUnmasked: true }
    this.#copies.set(
      unmasked,
      this.#limit(() => this.#copy(unmasked, mask)),
    )
    return unmasked
  }

  #keepBytes(bytes: Uint8Array, extension: string): KeptAttachment {
    try {
      if (this.#files) return this.#files.keepBytes(bytes, extension)
    } catch (error) {
      this.#fail(error)
    }
    return { bytes, sizeBytes: bytes.byteLength }
  }

  /** Never rejects. */
  async #copy(named: UncopiedFile, mask: FileMask | undefined): Promise<KeptAttachment> {
    if (this.#files === undefined) return maskInMemory(named, mask)
    try {
      const stored = await this.#files.copy(named.path, mask && ((to) => mask.copy(to)))
      const now = await stat(named.path).catch(() => undefined)
      const isSame = now ? now.size === named.sizeBytes && now.mtimeMs === named.changedAtMs : true
      if (!isSame || (mask === undefined && stored.sizeBytes !== named.sizeBytes))
        return { refusal: 'it was changed before it could be copied' }
      this.settings.log.append({ kind: 'file', path: named.path, changedAtMs: named.changedAtMs, ...stored })
      return stored
    } catch (error) {
      const problem = await access(named.path, constants.R_OK).catch(explainUnreadable)
      // The file is at fault, not the spool.
      if (problem !== undefined) return problem
      this.#fail(error)
      return maskInMemory(named, mask)
    }
  }

  #fail(error: unknown): void {
    this.#hasFailed = true
    this.settings.log.fail(error)
  }
}

function isUncopied(content: unknown): content is UncopiedFile {
  return typeof content === 'object' && content !== null && 'path' in content
}

function statFile(file: string): Stats | Refusal {
  try {
    const stats = statSync(file)
    return stats.isFile() ? stats : { refusal: 'it is not a file' }
  } catch (error) {
    return explainUnreadable(error)
  }
}

function explainUnreadable(error: unknown): Refusal {
  return { refusal: codeOf(error) === 'ENOENT' ? 'the file does not exist' : describeError(error) }
}

function isUnchanged(then: Stats, now: Stats): boolean {
  return now.size === then.size && now.mtimeMs === then.mtimeMs && now.ino === then.ino
}

function readMasked(file: string, mask: FileMask | undefined): Uint8Array | Refusal {
  try {
    const bytes = readFileSync(file)
    return mask?.maskBytes(bytes) ?? bytes
  } catch (error) {
    return explainUnreadable(error)
  }
}

/** A file is sent from where it is; a text is masked in memory. */
function maskInMemory(named: UncopiedFile, mask: FileMask | undefined): KeptAttachment {
  if (mask === undefined) return named
  if (named.sizeBytes > MAX_MEMORY_BYTES)
    return { refusal: `its ${named.sizeBytes} bytes are too many to look for secrets without the spool` }
  try {
    const read = readFileSync(named.path)
    const bytes = mask.maskBytes(read)
    return bytes === read ? named : { bytes, sizeBytes: bytes.byteLength }
  } catch (error) {
    return explainUnreadable(error)
  }
}
