import { createHash, randomUUID } from 'node:crypto'
import {
  inspectAttachment,
  inspectAttachments,
  type Inspection,
  type Inspections,
} from '../record/inspect-attachments'
import { createDeliverableRun, type DeliverableRun } from '../delivery/deliverable-run'
import type { EarlyUpload } from '../delivery/early-upload'
import type { FilePace } from '../file-pace'
import type { ResolvedOptions } from '../config/resolve-options'
import type { Redactor } from '../redact/redactor'
import type { RecordBuilder } from '../record/record-builder'
import { isPassed, type RunSource } from '../record/run-source'
import type { Attachment, Suite } from '../model/suite'
import { EarlyReceipts } from './early-receipts'
import type { EntryFolder } from './entry-folder'
import type { FolderSpool } from './folder-spool'
import { describeDeliverable, keepAllPlanned } from './kept-attachment'
import { PartKeeper, type RunPlace } from './part-keeper'
import { RunFiles } from './run-files'
import { needsNoFiles, RunMapper, type MappedRun } from './run-mapper'
import type { RunSheet } from './run-sheet'
import { SheetLine } from './sheet-line'
import { createHead, formatEntry, type SpooledService, type SpoolHead } from './spool-entry'
import { toSpoolErrors } from './spool-error'
import { inspectInMemory } from './text-in-memory'

export interface KeptRunSettings {
  builder: RecordBuilder
  options: ResolvedOptions
  spool: FolderSpool
  service: SpooledService
  projectRoot: string
  early: EarlyUpload
  redactor: Redactor
  /** Of the disks that attachments are found on. */
  pace: FilePace
}

/** One run of this execution and its entry in the spool, from its first suite to its delivery. Not for use at once. */
export class KeptRun {
  readonly submissionId = randomUUID()
  readonly #head: SpoolHead
  readonly #mapper: RunMapper
  #receipts: EarlyReceipts | undefined
  #parts: PartKeeper | undefined
  #opening: Promise<EntryFolder> | undefined
  #entry: EntryFolder | undefined
  #files: RunFiles | undefined
  readonly #line: SheetLine
  #writtenDigest: string | undefined
  #isPassed = true
  #source: RunSource | undefined
  #mapped: MappedRun | undefined
  #whole: MappedRun | undefined
  /** How often it was taken. */
  #changes = 0
  #isOut = false

  constructor(private readonly settings: KeptRunSettings) {
    this.#head = createHead(this.submissionId, settings)
    this.#mapper = new RunMapper(settings, this.submissionId)
    this.#line = new SheetLine(this.#head)
  }

  /** The framework's verdict on what was taken last. */
  get isPassed(): boolean {
    return this.#isPassed
  }

  /**
   * Takes the run as it is now. Where nothing has to be waited for it is mapped at once, and what the framework told is
   * let go: of a large execution that is most of the memory. What was given out stays as it is.
   */
  take(source: RunSource): void {
    if (this.#isOut) return
    this.#changes += 1
    this.#whole = undefined
    this.#isPassed = isPassed(source)
    this.#mapped = this.#mapper.mapAtOnce(source)
    this.#source = this.#mapped ? undefined : source
  }

  /**
   * Writes the run down whole, if it has changed. It is named first and its bytes are kept then, so that some can be
   * sent while others are still to be kept. A crash of the machine may lose those bytes. @throws SpoolError, ConfigError
   */
  async keepWhole(): Promise<MappedRun> {
    if (this.#whole) return this.#whole
    const inSheet = await this.#keepInSheet()
    if (inSheet) return inSheet
    const { files, entry } = await this.#open()
    const inspections = await this.#inspect((attachment) => files.look(attachment))
    for (;;) {
      const changes = this.#changes
      const { requestJson, attachments: planned } = this.#mapped ?? (await this.#map(inspections))
      const receipts = this.#openReceipts()
      const attachments = await keepAllPlanned(planned, { files, inspections, receipts, entry })
      if (attachments === undefined) continue
      await this.#write(entry, Buffer.concat(formatEntry(this.#head, requestJson, attachments)))
      const kept: MappedRun = { requestJson, attachments }
      // A file may still be rewritten until the end; a run that needs none is what it is.
      if (this.#mapped && changes === this.#changes) {
        this.#whole = kept
        this.#mapped = kept
      }
      return kept
    }
  }

  /** Makes its bytes safe, those left out that the service has. @throws SpoolError */
  async syncFiles({ attachments }: MappedRun): Promise<void> {
    const received = await this.#receipts?.listReceived(attachments.map(describeDeliverable))
    await this.#entry?.syncFiles(received)
  }

  /** Some of its bytes are neither safe nor known to be received. */
  get hasUnsynced(): boolean {
    return this.#entry?.hasUnsynced === true
  }

  /** The run on the disk, its bytes included, as it is to be delivered. @throws SpoolError, ConfigError */
  async keepToDeliver(): Promise<DeliverableRun> {
    const whole = await this.keepWhole()
    await this.syncFiles(whole)
    return this.#toDeliverable(whole)
  }

  /** The run as it is written in the sheet, and stays from now on; undefined where it is not, or may have files. */
  giveOut(): DeliverableRun | undefined {
    if (this.#whole === undefined || this.#hasFolder || this.#line.entry === undefined) return undefined
    this.#isOut = true
    return this.#toDeliverable(this.#whole)
  }

  /** It is sent already, or about to be. */
  get isOut(): boolean {
    return this.#isOut
  }

  /** Undefined for a run that has files, or had. @throws SpoolError, ConfigError */
  async #keepInSheet(): Promise<MappedRun | undefined> {
    if (this.#hasFolder || !(this.#mapped || needsNoFiles(this.#source as RunSource))) return undefined
    const sheet = await this.settings.spool.openSheet()
    if (sheet === undefined) return undefined
    const changes = this.#changes
    const mapped = this.#mapped ?? (await this.#map(new Map()))
    if (changes !== this.#changes) return this.#keepInSheet()
    this.#mapped = mapped
    const kept = await toSpoolErrors(async () => this.#writeLine(sheet))
    if (kept === undefined) return undefined
    sheet.syncSoon()
    if (changes === this.#changes) this.#whole = kept
    return kept
  }

  /** Before it returns; undefined for a run that has files. Errors are the system's. */
  #writeLine(sheet: RunSheet): MappedRun | undefined {
    const kept = this.#mapped && this.#line.keep(sheet, this.#mapped, this.#changes)
    if (kept !== undefined) this.#mapped = kept
    return kept
  }

  get #hasFolder(): boolean {
    return this.#entry !== undefined || this.#opening !== undefined
  }

  /** @throws ConfigError */
  #map(inspections: Inspections): Promise<MappedRun> {
    return this.#mapper.map(this.#source as RunSource, inspections)
  }

  #inspect(inspect: (attachment: Attachment) => Promise<Inspection>): Promise<Inspections> {
    const suites = this.settings.options.attachments ? (this.#source?.suites ?? []) : []
    this.settings.redactor.maskBodies(suites)
    return inspectAttachments(suites, inspect)
  }

  /**
   * Writes a suite down before it returns, as far as that is quickly done: a kill from now on does not lose it. The
   * surroundings must be known. True when that took the run as it is now. Errors are the system's.
   */
  keepAtOnce(suite: Suite, source: RunSource): boolean {
    if (!source.namesFiles && !this.#hasFolder) {
      this.take(source)
      const sheet = this.#mapped && this.settings.spool.openSheetAtOnce()
      if (sheet && this.#writeLine(sheet)) return true
    }
    this.#keepPartAtOnce(suite, source)
    return false
  }

  #keepPartAtOnce(suite: Suite, source: RunSource): void {
    const context = this.#mapper.describeAtOnce(source)
    const isOpening = this.#entry === undefined && this.#opening !== undefined
    if (context === undefined || isOpening) return
    this.#entry ??= this.settings.spool.createAtOnce(this.submissionId)
    const place = { entry: this.#entry, files: this.#openFiles(this.#entry) }
    this.#openParts().keepAtOnce({ suite, source, context }, place)
    void this.#line.remove()
  }

  /** Writes down one suite of a run whose other suites may follow. @throws SpoolError, ConfigError */
  async keepPart(suite: Suite, source: RunSource): Promise<void> {
    const place = await this.#open()
    const context = await this.#mapper.describe(source)
    await this.#openParts().keep({ suite, source, context }, place)
  }

  /** The run as it is in memory, when the spool cannot take it; bytes that it has taken are used. @throws ConfigError */
  async buildFromMemory(): Promise<DeliverableRun> {
    const files = this.#files
    const { options, redactor } = this.settings
    const inspections = await this.#inspect(async (attachment): Promise<Inspection> => {
      const inspection = await inspectAttachment(attachment, options.maxAttachmentBytes)
      if ('refusal' in inspection) return (await files?.recall(attachment)) ?? inspection
      return 'path' in attachment ? inspectInMemory(attachment, inspection, redactor) : inspection
    })
    return this.#toDeliverable(this.#mapped ?? (await this.#map(inspections)))
  }

  /** Leaves the spool alone from now on, whatever is under way there. */
  abandonSpool(): void {
    this.#entry?.abandon()
    this.#entry = undefined
    this.#files = undefined
    this.#line.abandon()
  }

  /** Takes the run out of the spool: it is not on record after all. */
  async discard(): Promise<void> {
    await this.#entry?.remove().catch(() => undefined)
    await this.#line.remove()
  }

  async #open(): Promise<RunPlace> {
    if (this.#entry === undefined) {
      this.#opening ??= this.settings.spool.create(this.submissionId)
      this.#entry = await this.#opening
    }
    return { entry: this.#entry, files: this.#openFiles(this.#entry) }
  }

  // Most runs need neither of these two.
  #openReceipts(): EarlyReceipts {
    return (this.#receipts ??= new EarlyReceipts(this.settings.early))
  }

  #openParts(): PartKeeper {
    const receipts = this.#openReceipts()
    return (this.#parts ??= new PartKeeper(this.settings, {
      head: this.#head,
      mapper: this.#mapper,
      receipts,
    }))
  }

  #openFiles(entry: EntryFolder): RunFiles {
    const { options, redactor, pace } = this.settings
    return (this.#files ??= new RunFiles(entry, { maxBytes: options.maxAttachmentBytes, redactor, pace }))
  }

  async #write(entry: EntryFolder, content: Uint8Array): Promise<void> {
    const digest = createHash('sha256').update(content).digest('base64')
    if (digest === this.#writtenDigest) return
    await entry.write(content)
    this.#writtenDigest = digest
    if (this.#parts !== undefined) await entry.removeParts()
    await this.#line.remove()
  }

  #toDeliverable({ requestJson, attachments: planned }: MappedRun): DeliverableRun {
    const attachments = planned.map(describeDeliverable)
    return createDeliverableRun({
      submissionId: this.submissionId,
      passed: this.#isPassed,
      requestJson,
      entry: this.#entry ?? this.#line.entry,
      attachments,
      ids: attachments.flatMap((each): [string, string][] => {
        const id = this.#receipts?.find(each)
        return id === undefined ? [] : [[each.name, id]]
      }),
      // Asked when the run is delivered: until then more of them are begun.
      findEarly: (attachment) => this.#receipts?.findPending(attachment),
    })
  }
}
