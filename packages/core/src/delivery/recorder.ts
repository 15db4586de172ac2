import { type CreateRunRequest, formatTimestampMs } from '@runledger/protocol'
import type { ResolvedOptions } from '../config/resolve-options'
import type { SpoolError } from '../model/errors'
import { createProgress, isDelivered, type Run, type RunJournal } from '../model/run'
import type { Suite } from '../model/suite'
import { mapRun, type RunContext } from '../record/map-run'
import type { RunContexts } from '../record/run-context'
import { isOnRecord, isPassed, type RunSource, RunSources } from '../record/run-source'
import type { Redactor } from '../redact/redactor'
import { listOwnFolders } from '../util/files'
import type { OwnFolders } from '../util/text'
import { finishesWithin } from '../util/time-limit'
import { AttachmentStore, type Refusal } from './attachment-store'
import type { EarlyUpload } from './early-upload'
import { LogWriter, type LogWriterSettings } from './log-writer'
import {
  type KeepText,
  listForSending,
  locateAttachments,
  type RecordedAttachment,
  RecordedRun,
  toRunAttachment,
} from './recorded-run'
import type { UndeliveredRun } from './deliver-run'
import type { ExecutionEndLine, RunLine, SuiteLine } from '../spool/log-lines'
import { takeSnapshot } from './suite-snapshot'

export interface RecorderSettings extends LogWriterSettings {
  contexts: RunContexts
  options: ResolvedOptions
  redactor: Redactor
  early: EarlyUpload
}

/**
 * Makes a run of every suite and writes it to the execution's log before `addSuite` returns, so that a kill of the process
 * does not lose it. Where the spool cannot be written, runs are kept only in memory. Nothing here throws or rejects.
 */
export class Recorder {
  /** In the order of their first suites. */
  readonly #runs: RecordedRun[] = []
  /** By what identifies a run; suites that are on record are not held. */
  readonly #byKey = new WeakMap<object, RecordedRun>()
  /** What `completeRuns` returns, once it has begun to make that, and whether a suite came later. */
  #completed: Run[] = []
  #isComplete = false
  #isLate = false
  readonly #sources: RunSources
  /** Suites that came before the log was open. */
  readonly #waiting: Suite[] = []
  readonly #opened: Promise<void>
  #isOpen = false
  readonly #log: LogWriter
  readonly #folders: OwnFolders
  readonly #store: AttachmentStore

  constructor(private readonly settings: RecorderSettings) {
    this.#sources = new RunSources(settings.options.runPer)
    this.#log = new LogWriter(settings)
    const { redactor, options, projectRoot } = settings
    this.#folders = listOwnFolders(projectRoot)
    this.#store = new AttachmentStore({ log: this.#log, redactor, maxBytes: options.maxAttachmentBytes })
    this.#opened = this.#open()
    // A process that exits meanwhile waits for nothing more: then runs are written without what git would have said.
    process.once('exit', this.#recordWaiting)
  }

  /** Why the spool cannot be used, once that has shown. */
  get failure(): SpoolError | undefined {
    return this.#log.failure
  }

  /** The execution's folder in the spool. */
  get dir(): string | undefined {
    return this.#log.dir
  }

  /** A suite that has changed since is added again, and takes the place of what was written of it. */
  addSuite(suite: Suite): void {
    if (this.#isOpen) this.#record(suite)
    else this.#waiting.push(suite)
  }

  /** Waits until all that was added is in the spool, large attachments included, or cannot be put there. */
  async settled(): Promise<void> {
    await this.#opened
    await this.#store.settled()
  }

  /**
   * The runs as they are in the end, all of them on the disk if that can be, and those that could not be made. A spool that
   * takes longer than so many milliseconds (a network folder that hangs) is not waited for.
   */
  async completeRuns(patienceMs: number): Promise<{ runs: Run[]; failed: UndeliveredRun[] }> {
    const startedAtMs = Date.now()
    const isSettled = await finishesWithin(this.settled(), patienceMs)
    if (!isSettled) this.#log.giveUp()
    this.#recordWaiting()
    for (const run of this.#runs.filter(({ isShared }) => isShared)) this.#joinSuites(run)
    this.#isComplete = true
    const failed = this.#runs.filter(({ error }) => error !== undefined)
    const made = this.#runs.filter(({ error, request }) => error === undefined && request !== undefined)
    this.#completed = await Promise.all(made.map((run) => this.#toRun(run, isSettled)))
    // What is on record must not be lost: all of it is on the disk before the first run is created.
    await this.#log.sync(patienceMs - (Date.now() - startedAtMs))
    return {
      runs: this.#completed,
      failed: failed.map((run) => ({ status: 'failed', passed: run.isPassed, error: run.error })),
    }
  }

  /** The execution has ended, though not all of its runs are on record. */
  noteEnd(line: ExecutionEndLine): void {
    this.#log.append(line)
  }

  /** Leaves the spool to others: nothing stays there of an execution whose runs are all delivered. */
  async releaseLog(): Promise<void> {
    await this.#log.close(this.#isComplete && !this.#isLate && this.#completed.every(isDelivered))
  }

  async #open(): Promise<void> {
    await Promise.all([this.#log.open(), this.settings.contexts.prepare()])
    process.off('exit', this.#recordWaiting)
    // `completeRuns` has stopped waiting and recorded the suites in memory.
    if (!this.#isOpen) this.#recordWaiting()
  }

  readonly #recordWaiting = (): void => {
    this.#isOpen = true
    for (const suite of this.#waiting.splice(0)) this.#record(suite)
  }

  #record(suite: Suite): void {
    this.settings.contexts.addOwners(suite)
    const { key, isShared, source } = this.#sources.add(suite)
    // A run that several suites share is under way as it was.
    if (this.#isComplete && isShared) return
    this.#isLate = this.#isComplete
    const run = this.#byKey.get(key) ?? new RecordedRun(isShared, source, suite.submissionId)
    if (!this.#byKey.has(key)) this.#runs.push(run)
    this.#byKey.set(key, run)
    run.source = source
    run.isPassed = isPassed(source)
    run.error = undefined
    try {
      if (run.isShared) this.#writeSuite(run, suite)
      else if (isOnRecord(source)) this.#writeRun(run, this.#keepAttachments(suite), [suite])
      else this.#discard(run)
    } catch (error) {
      this.#refuse(run, error)
    }
    if (!run.isShared) run.source = { ...source, suites: [] }
  }

  /** Writes a run as it is now; `unmasked` are suites of it that still hold their secrets. @throws ConfigError */
  #writeRun(run: RecordedRun, kept: RecordedRun['kept'], unmasked: Suite[]): void {
    const context = this.#describe(run)
    this.settings.redactor.maskTexts(unmasked)
    run.take(mapRun(this.#maskNames(run.source), context, kept), kept, this.#keepText)
    this.#write(run, () => run.toLine())
    // Not the log, which is another one whenever its suite changes.
    const ofSuites = new Set<unknown>(kept.values())
    for (const attachment of run.attachments)
      if (ofSuites.has(attachment.content)) void this.#sendEarly(run, attachment)
  }

  /** Writes one suite of a run whose other suites may follow. @throws ConfigError */
  #writeSuite(run: RecordedRun, suite: Suite): void {
    const kept = this.#keepAttachments(suite)
    for (const [attachment, each] of kept) run.kept.set(attachment, each)
    const context = this.#describe(run)
    this.settings.redactor.maskTexts([suite])
    const source = { ...this.#maskNames(run.source), suites: [suite] }
    const snapshot = { ...takeSnapshot(suite, source, { context, kept }) }
    const { submissionId } = run
    const index = run.source.suites.indexOf(suite)
    const finishedAt = formatTimestampMs(Date.now())
    this.#write(run, () => ({ kind: 'suite', run: submissionId, finishedAt, index, snapshot }))
    // Names may change when suites are joined (equal ones get ` (2)`); those attachments are then sent again.
    const { attachments } = mapRun(source, { ...context, logs: false }, kept)
    for (const attachment of locateAttachments(attachments, kept, this.#keepText))
      void this.#sendEarly(run, attachment)
  }

  /** Joins the suites of a run that several share. */
  #joinSuites(run: RecordedRun): void {
    if (run.error !== undefined) return
    if (!isOnRecord(run.source)) return this.#discard(run)
    try {
      this.#writeRun(run, run.kept, [])
    } catch (error) {
      this.#refuse(run, error)
    }
  }

  /** Where the newest state of a run cannot be written, an older one in the log stays if its verdict is the same. */
  #write(run: RecordedRun, makeLine: () => RunLine | SuiteLine): void {
    if (this.#log.failure === undefined && this.#log.append(makeLine())) run.writtenVerdict = run.isPassed
    else if (run.writtenVerdict !== run.isPassed) this.#withdraw(run)
  }

  /** The run is not on record after all: none of its tests ran. */
  #discard(run: RecordedRun): void {
    run.request = undefined
    this.#withdraw(run)
  }

  /** No record can be made of the run. */
  #refuse(run: RecordedRun, error: unknown): void {
    run.error = error
    this.#withdraw(run)
  }

  #withdraw(run: RecordedRun): void {
    if (run.writtenVerdict !== undefined) this.#log.withdraw(run.submissionId)
    run.writtenVerdict = undefined
  }

  readonly #keepText: KeepText = (text) => this.#store.keepText(text)

  #keepAttachments(suite: Suite): ReturnType<AttachmentStore['keepAll']> {
    return this.#store.keepAll(this.settings.options.attachments ? [suite] : [])
  }

  /** @throws ConfigError */
  #describe({ source, submissionId }: RecordedRun): RunContext {
    const { contexts, redactor } = this.settings
    const context = contexts.describe(source, submissionId)
    // Texts on record have been masked, so the folders in them have been, too.
    const mask = (folder: string): string => redactor.maskText(folder)
    const folders = { roots: this.#folders.roots.map(mask), homes: this.#folders.homes.map(mask) }
    return { ...context, variables: redactor.maskVariables(context.variables), folders }
  }

  #maskNames(source: RunSource): RunSource {
    const { redactor } = this.settings
    return { ...source, project: redactor.maskText(source.project), file: redactor.maskText(source.file) }
  }

  /** Only files of the spool are sent early: the framework may still rewrite its own. */
  async #sendEarly({ submissionId }: RecordedRun, attachment: RecordedAttachment): Promise<void> {
    const content = await this.#store.waitForCopy(attachment.content)
    if (typeof content === 'string' || !('file' in content)) return
    const { name } = attachment
    const sent = toRunAttachment({ ...attachment, content }, this.#pathOf)
    const id = await this.settings.early.offer(submissionId, sent)
    if (id === undefined) return
    const event = { type: 'received', attachment: name, id, file: content.file } as const
    this.#log.append({ kind: 'event', run: submissionId, event })
  }

  async #toRun(run: RecordedRun, isSettled: boolean): Promise<Run> {
    const { submissionId } = run
    const locate = async (attachment: RecordedAttachment): Promise<RecordedAttachment | Refusal> => {
      const { content } = attachment
      const final = isSettled ? await this.#store.waitForCopy(content) : this.#store.withoutCopy(content)
      return typeof final === 'object' && 'refusal' in final ? final : { ...attachment, content: final }
    }
    return {
      submissionId,
      request: run.request as CreateRunRequest,
      ...(await listForSending(run.attachments, locate, this.#pathOf)),
      progress: createProgress(),
      hasWaited: false,
      journal: this.#openJournal(run),
      findEarly: async (attachment) => this.settings.early.find(submissionId, attachment),
    }
  }

  readonly #pathOf = (file: string): string => this.#log.files?.pathOf(file) ?? file

  #openJournal(run: RecordedRun): RunJournal {
    return {
      isKept: () => run.writtenVerdict !== undefined && this.#log.isSafe,
      note: (event) => void this.#log.append({ kind: 'event', run: run.submissionId, event }),
      done: () => void this.#log.append({ kind: 'done', run: run.submissionId }),
    }
  }
}
