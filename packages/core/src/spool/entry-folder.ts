import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { holdClaim, letGoOfClaim, releaseClaim, writeClaim } from './claim'
import { doFew } from '../util/map-concurrent'
import { FOLDER_MODE, makeFolder, writeAtOnce } from '../util/durable-write'
import {
  ENTRY_FILE,
  JOURNAL_FILE,
  namePart,
  PARTS_FOLDER,
  readEntryFolder,
  readJournal,
  removeFolder,
} from './entry-files'
import {
  digestFile,
  keepAtOnce,
  keepFile,
  keepMemory,
  throwWithoutHalf,
  type FileToKeep,
  type KeptAtOnce,
  type KeptFile,
} from './keep-bytes'
import { Journal } from './journal'
import type { ProgressEvent } from './progress'
import type { RunEntry } from './run-entry'
import type { SpoolEntry } from './spool-entry'
import type { SpoolDisk } from './spool-disk'
import { ifThere, toSpoolErrors } from './spool-error'
import type { SuitePart } from './suite-part'

const FILES_FOLDER = 'files'

/** Where entries lie. */
export interface SpoolFolder {
  readonly dir: string
  readonly disk: SpoolDisk
}

/**
 * One run's folder in the spool, claimed by this process:
 *
 *     entry.json      the run; never rewritten once its delivery has begun
 *     parts/<n>.json  its suites so far, until the run is whole
 *     files/          the attachments' bytes
 *     journal.jsonl   what the service has acknowledged since, a line for each event
 *     claim-…         who works on it
 */
export class EntryFolder implements RunEntry {
  #fileCount = 0
  #canBeSent = false
  #isRemoved = false
  /** Of the folder of files; undefined until there is one to keep. */
  #makingFiles: Promise<void> | undefined
  /** Kept files that a crash of the machine may lose. */
  readonly #unsynced = new Set<string>()
  /** Files that the service has: they may stay unsynced. */
  #received: ReadonlySet<string> = new Set()
  readonly #journal: Journal

  private constructor(
    readonly dir: string,
    readonly submissionId: string,
    private readonly plan: { disk: SpoolDisk; claim: string; isNew: boolean },
  ) {
    holdClaim(plan.claim)
    this.#journal = new Journal(path.join(dir, JOURNAL_FILE), plan.disk, plan)
  }

  /** @throws SpoolError when the folder cannot be written. */
  static create(spool: SpoolFolder, submissionId: string): Promise<EntryFolder> {
    return toSpoolErrors(async () => {
      if (spool.disk.isQuick) return EntryFolder.createAtOnce(spool, submissionId)
      const hidden = path.join(spool.dir, `.new-${submissionId}`)
      await mkdir(hidden, { mode: FOLDER_MODE })
      // First of all: with it, what a killed process leaves is known for that.
      const claim = writeClaim(hidden)
      const dir = path.join(spool.dir, submissionId)
      await rename(hidden, dir)
      return EntryFolder.#ofNew(spool, dir, claim)
    })
  }

  /** The same before it returns: a suite that has finished is to outlive a kill. Errors are the system's. */
  static createAtOnce(spool: SpoolFolder, submissionId: string): EntryFolder {
    return spool.disk.doAtOnce(() => EntryFolder.#makeAtOnce(spool, submissionId))
  }

  static #makeAtOnce(spool: SpoolFolder, submissionId: string): EntryFolder {
    const hidden = path.join(spool.dir, `.new-${submissionId}`)
    try {
      mkdirSync(hidden, { mode: FOLDER_MODE })
      const claim = writeClaim(hidden)
      const dir = path.join(spool.dir, submissionId)
      renameSync(hidden, dir)
      return EntryFolder.#ofNew(spool, dir, claim)
    } catch (error) {
      rmSync(hidden, { recursive: true, force: true })
      throw error
    }
  }

  static #ofNew({ disk }: SpoolFolder, dir: string, hiddenClaim: string): EntryFolder {
    const claim = path.join(dir, path.basename(hiddenClaim))
    return new EntryFolder(dir, path.basename(dir), { disk, claim, isNew: true })
  }

  /** An entry that is there and has been claimed for this process. */
  static open({ disk }: SpoolFolder, dir: string, claim: string): EntryFolder {
    const folder = new EntryFolder(dir, path.basename(dir), { disk, claim, isNew: false })
    folder.#canBeSent = true
    return folder
  }

  /** There is a run in it, whole or in parts: it may be left to whoever comes next. */
  get canBeSent(): boolean {
    return this.#canBeSent
  }

  /** Keeps the bytes of an attachment, for `syncFiles` to make safe; a file's extension stays. Errors are the system's. */
  async keep(source: FileToKeep | { bytes: Uint8Array }): Promise<KeptFile> {
    const { disk } = this.plan
    const to = this.#nameFile(source)
    await (this.#makingFiles ??= makeFolder(path.dirname(to)))
    const keeping = 'path' in source ? keepFile(source, to, disk) : keepMemory(source.bytes, to, disk)
    const kept = await keeping.catch((error: unknown) => throwWithoutHalf(to, error))
    this.#unsynced.add(to)
    return kept
  }

  /** The same before it returns, for `adopt` to finish. Errors are the system's. */
  keepAtOnce(source: Parameters<typeof keepAtOnce>[0]): KeptAtOnce {
    const to = this.#nameFile(source)
    if (this.#makingFiles === undefined) {
      mkdirSync(path.dirname(to), { recursive: true, mode: FOLDER_MODE })
      this.#makingFiles = Promise.resolve()
    }
    try {
      return keepAtOnce(source, to, this.plan.disk)
    } catch (error) {
      return throwWithoutHalf(to, error)
    }
  }

  /** Makes what was kept at once an attachment like others. Errors are the system's. */
  async adopt(file: KeptAtOnce): Promise<KeptFile> {
    this.#unsynced.add(file.path)
    return 'sha256' in file ? file : { ...file, ...(await digestFile(file.path)) }
  }

  #nameFile(source: { path: string } | { bytes: Uint8Array }): string {
    const extension = 'path' in source ? path.extname(source.path) : ''
    const prefix = this.plan.isNew ? '' : 'later-'
    this.#fileCount += 1
    return this.pathOf(`${prefix}${this.#fileCount}${/^\.[\w-]{1,20}$/.test(extension) ? extension : ''}`)
  }

  /** Where a kept file lies. */
  pathOf(file: string): string {
    return path.join(this.dir, FILES_FOLDER, file)
  }

  /** Some kept file is neither on the disk for certain nor known to be received. */
  get hasUnsynced(): boolean {
    return [...this.#unsynced].some((file) => !this.#received.has(file))
  }

  /**
   * Waits until the kept files are on the disk, those left out that have been received: of them the journal, which says
   * so. @throws SpoolError
   */
  syncFiles(received: ReadonlySet<string> = new Set()): Promise<void> {
    return toSpoolErrors(() => this.#syncFiles(received))
  }

  async #syncFiles(received: ReadonlySet<string>): Promise<void> {
    const { disk } = this.plan
    const needed = [...this.#unsynced].filter((file) => !received.has(file))
    await doFew(needed, (file) => disk.syncFile(file))
    if (needed.length > 0) await disk.syncFolder(path.join(this.dir, FILES_FOLDER))
    for (const file of needed) this.#unsynced.delete(file)
    this.#received = received
    if (this.#unsynced.size > 0) await this.#journal.sync()
  }

  /**
   * The same with files that a process kept which was perhaps killed before it came to that, and with the journal, which
   * tells of the others. What is gone or cannot be opened is passed over: it is told where it is to be sent.
   * @throws SpoolError
   */
  syncLeft(files: readonly string[]): Promise<void> {
    const { disk } = this.plan
    return toSpoolErrors(async () => {
      const journal = path.join(this.dir, JOURNAL_FILE)
      await doFew([...files, journal], (file) => disk.syncLeftFile(file))
      const folders = [path.join(this.dir, FILES_FOLDER), this.dir]
      await doFew(folders, (folder) => ifThere(disk.syncFolder(folder)))
    })
  }

  /** Writes the run, as `formatEntry` has it. When it returns, it is on the disk, its files not included. @throws SpoolError */
  write(content: string | Uint8Array): Promise<void> {
    return toSpoolErrors(() => this.#writeSafely(path.join(this.dir, ENTRY_FILE), content))
  }

  /** Writes one suite of a run that several share, its files included; the same index again replaces it. @throws SpoolError */
  writePart(index: number, part: SuitePart): Promise<void> {
    return toSpoolErrors(async () => {
      const parts = path.join(this.dir, PARTS_FOLDER)
      await mkdir(parts, { recursive: true, mode: FOLDER_MODE })
      await this.#syncFiles(new Set())
      await this.#writeSafely(path.join(parts, namePart(index)), JSON.stringify(part))
    })
  }

  async #writeSafely(file: string, content: string | Uint8Array): Promise<void> {
    const { disk } = this.plan
    await disk.writeDurably(file, content)
    this.#canBeSent = true
    const folders = [path.dirname(file), this.dir, path.dirname(this.dir)]
    await Promise.all([...new Set(folders)].map((folder) => disk.syncFolder(folder)))
  }

  /** The same before it returns, not yet safe from a crash of the machine. Errors are the system's. */
  writePartAtOnce(index: number, part: SuitePart): void {
    const parts = path.join(this.dir, PARTS_FOLDER)
    mkdirSync(parts, { recursive: true, mode: FOLDER_MODE })
    const text = JSON.stringify(part)
    this.plan.disk.doAtOnce(() => writeAtOnce(path.join(parts, namePart(index)), text))
    this.#canBeSent = true
  }

  /** The entry, or its parts in the order of their suites. @throws StrangeEntryError */
  async read(): Promise<SpoolEntry | SuitePart[]> {
    return readEntryFolder(this.dir)
  }

  /** What came of the delivery so far. */
  async readEvents(): Promise<ProgressEvent[]> {
    return readJournal(this.dir)
  }

  /** Adds to the journal. What a crash of the machine takes from it is done again. */
  async note(event: ProgressEvent): Promise<void> {
    await this.#journal.note(event)
  }

  /** The parts are all in the entry now. */
  async removeParts(): Promise<void> {
    await rm(path.join(this.dir, PARTS_FOLDER), { recursive: true, force: true })
  }

  /** Lets another process have it. */
  async release(): Promise<void> {
    if (this.#isRemoved) return
    await releaseClaim(this.plan.claim).catch(() => undefined)
  }

  /** Touches it no more. */
  abandon(): void {
    letGoOfClaim(this.plan.claim)
  }

  /** Takes the entry out of the spool: first its name, so that a half-removed one is no entry. */
  async remove(): Promise<void> {
    this.#isRemoved = true
    letGoOfClaim(this.plan.claim)
    const names = [path.basename(this.plan.claim), ENTRY_FILE, JOURNAL_FILE]
    await removeFolder(this.dir, this.#makingFiles === undefined ? names : [])
  }
}
