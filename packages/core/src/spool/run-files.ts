import { statSync, type Stats } from 'node:fs'
import { checkSize, findUnreadable, statFile, type Inspection } from '../record/inspect-attachments'
import { describeError } from '../model/errors'
import type { FilePace } from '../file-pace'
import type { Redactor } from '../redact/redactor'
import type { Attachment, FileAttachment } from '../model/suite'
import type { EntryFolder } from './entry-folder'
import { digestBytes, type KeptAtOnce, type KeptFile, type OnCopied } from './keep-bytes'
import { nameOf, type RawAttachment } from './suite-part'
import { deriveTextKind } from '../redact/text-kind'
import { codeOf, SpoolError } from './spool-error'

interface Inspected {
  kept: KeptFile
  /** The file as it was when it was kept. */
  stats: Stats
}

/** A larger file is only named at once, in bytes: copying it would hold up the framework. */
const AT_ONCE_BYTES = 4 * 1024 * 1024

/** A file that was copied before anybody waited for it. */
interface RawFile {
  copy: KeptAtOnce
  /** The file as it was then. */
  stats: Stats
  /** Length of the copy, which may be masked. */
  sizeBytes: number
}

export interface RunFilesSettings {
  maxBytes: number
  redactor: Redactor
  /** Of the disks that attachments are found on. */
  pace: FilePace
}

/** The bytes that a run's entry keeps: each file once as long as it stays as it is, equal bytes of memory once. */
export class RunFiles {
  readonly #files = new Map<string, Promise<Inspection | Inspected>>()
  readonly #bytes = new Map<string, Promise<KeptFile>>()
  readonly #raw = new Map<string, RawFile>()

  constructor(
    private readonly entry: EntryFolder,
    private readonly settings: RunFilesSettings,
  ) {}

  /** What is known of an attachment without keeping it; a text is kept, as the log says what was masked in it. */
  async look(attachment: Attachment): Promise<Inspection> {
    if ('bytes' in attachment) return checkSize(attachment.bytes.byteLength, this.settings.maxBytes)
    if (deriveTextKind(attachment) === 'text') return this.#inspectFile(attachment)
    const known = await this.#files.get(attachment.path)?.catch(() => undefined)
    const stats = await statFile(attachment.path, this.settings.pace)
    if (known && 'stats' in known && isStill(known, stats)) return inspectionOf(known)
    if (!('refusal' in stats)) return checkSize(stats.size, this.settings.maxBytes)
    const raw = this.#raw.get(attachment.path)
    return raw ? { sizeBytes: raw.sizeBytes } : stats
  }

  /** Keeps an attachment, or says why it cannot go. @throws SpoolError when the spool cannot take it. */
  async inspect(attachment: Attachment, onCopied?: OnCopied): Promise<Inspection> {
    if ('path' in attachment) return this.#inspectFile(attachment, onCopied)
    const size = checkSize(attachment.bytes.byteLength, this.settings.maxBytes)
    if ('refusal' in size) return size
    const kept = await this.keepBytes(attachment.bytes)
    return { sizeBytes: kept.sizeBytes, kept }
  }

  /**
   * Keeps a small attachment before it returns, and names a larger file, or any file when the time to copy is over (as
   * `performance.now()` counts it); undefined for what cannot be had so quickly, and for a text that would have to be
   * masked by whoever finds it named.
   */
  keepAtOnce(attachment: Attachment, copyUntil: number): RawAttachment | undefined {
    const isInTime = performance.now() < copyUntil
    try {
      if ('path' in attachment) return this.#keepFileAtOnce(attachment, isInTime)
      return isInTime ? this.#keepBytesAtOnce(attachment.bytes) : undefined
    } catch {
      return undefined
    }
  }

  #keepFileAtOnce(attachment: FileAttachment, isInTime: boolean): RawAttachment | undefined {
    const { path } = attachment
    const stats = statSync(path)
    if (!stats.isFile() || stats.size > this.settings.maxBytes) return undefined
    const mask = this.settings.redactor.findFileMask(attachment)
    const named = mask ? undefined : { path, sizeBytes: stats.size, mtimeMs: stats.mtimeMs }
    const known = this.#raw.get(path)
    if (known && isStill(known, stats)) return { file: nameOf(known.copy.path), sizeBytes: known.sizeBytes }
    if (!isInTime || stats.size > AT_ONCE_BYTES || this.#files.has(path)) return named
    try {
      const copy = this.entry.keepAtOnce({ path, mask, sizeBytes: stats.size })
      const sizeBytes = 'sizeBytes' in copy ? copy.sizeBytes : stats.size
      this.#raw.set(path, { copy, stats, sizeBytes })
      return { file: nameOf(copy.path), sizeBytes }
    } catch {
      return named
    }
  }

  #keepBytesAtOnce(bytes: Uint8Array): RawAttachment | undefined {
    if (bytes.byteLength > Math.min(AT_ONCE_BYTES, this.settings.maxBytes)) return undefined
    const copy = this.entry.keepAtOnce({ bytes })
    const finished = this.entry.adopt(copy).catch(throwSpoolError)
    // It is told where it is waited for.
    finished.catch(() => undefined)
    this.#bytes.set(digestBytes(bytes), finished)
    return { file: nameOf(copy.path), sizeBytes: bytes.byteLength }
  }

  /** @throws SpoolError */
  keepBytes(bytes: Uint8Array): Promise<KeptFile> {
    const digest = digestBytes(bytes)
    const known = this.#bytes.get(digest)
    if (known) return known
    const kept = this.entry.keep({ bytes }).catch(throwSpoolError)
    this.#bytes.set(digest, kept)
    return kept
  }

  /** What was kept of a file that has gone since. */
  async recall(attachment: Attachment): Promise<Inspection | undefined> {
    const known =
      'path' in attachment ? await this.#files.get(attachment.path)?.catch(() => undefined) : undefined
    return known && 'stats' in known ? inspectionOf(known) : undefined
  }

  async #inspectFile(attachment: FileAttachment, onCopied?: OnCopied): Promise<Inspection> {
    const { path } = attachment
    const known = await this.#files.get(path)?.catch(() => undefined)
    const stats = await statFile(path, this.settings.pace)
    if (known && 'stats' in known && isStill(known, stats)) return inspectionOf(known)
    const raw = this.#raw.get(path)
    if ('refusal' in stats && raw === undefined) return stats
    const keeping = this.#keep(attachment, {
      stats: 'refusal' in stats ? (raw as RawFile).stats : stats,
      onCopied,
    })
    this.#files.set(path, keeping)
    const result = await keeping
    return 'stats' in result ? inspectionOf(result) : result
  }

  async #keep(
    attachment: FileAttachment,
    { stats, onCopied }: { stats: Stats; onCopied: OnCopied | undefined },
  ): Promise<Inspection | Inspected> {
    const { path } = attachment
    const size = checkSize(stats.size, this.settings.maxBytes)
    if ('refusal' in size) return size
    try {
      const raw = this.#raw.get(path)
      const isKept = raw !== undefined && isStill(raw, stats)
      if (isKept) return { kept: await this.entry.adopt(raw.copy), stats }
      const mask = this.settings.redactor.findFileMask(attachment)
      const found = { sizeBytes: stats.size, pace: this.settings.pace }
      return { kept: await this.entry.keep({ path, mask, found, onCopied }), stats }
    } catch (error) {
      const now = await statFile(path, this.settings.pace)
      if (codeOf(error) === 'ENOENT' && 'refusal' in now) return now
      return (await findUnreadable(path)) ?? throwSpoolError(error)
    }
  }
}

/** True for a file that is what it was when it was kept, or has gone since. */
function isStill({ stats: then }: Inspected | RawFile, now: Stats | { refusal: string }): boolean {
  if ('refusal' in now) return true
  return now.size === then.size && now.mtimeMs === then.mtimeMs && now.ino === then.ino
}

function inspectionOf({ kept }: Inspected): Inspection {
  return { sizeBytes: kept.sizeBytes, kept }
}

function throwSpoolError(error: unknown): never {
  throw new SpoolError(describeError(error), { cause: error })
}
