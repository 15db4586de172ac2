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
 * Makes a run of every suite and writes it to the log before `addSuite` returns, so that a killed process does not lose
 * it. Without a writable spool, runs stay in memory. Never throws or rejects.
 */
export class Recorder {
  readonly #runs: RecordedRun[] = []
  readonly #byKey = new WeakMap<object, RecordedRun>()
  /** The result of `completeRuns` once it has started, and whether a suite came later. */
  #completed: Run[] = []
  #isComplete = false
  #isLate = false
  readonly #sources: RunSources
  /** Suites that arrived before the log was open. */
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
    // A process that exits now waits for nothing: runs are written without git's facts.
    process.once('exit', this.#recordWaiting)
  }

  get failure(): SpoolError | undefined {
    return this.#log.failure
  }

  get dir(): string | undefined {
    return this.#log.dir
  }

  /** A changed suite is added again and replaces its earlier state. */
  addSuite(suite: Suite): void {
    if (this.#isOpen) this.#record(suite)
    else this.#waiting.push(suite)
  }

  /** Waits until everything added is in the spool, large attachments included, or cannot be stored. */
  async settled(): Promise<void> {
    await this.#opened
    await this.#store.settled()
  }

  /** The final runs, on disk if possible. Waits at most `patienceMs` for a spool such as a hanging network folder. */
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
    // Everything is on disk before the first run is created.
    await this.#log.sync(patienceMs - (Date.now() - startedAtMs))
    return {
      runs: this.#completed,
      failed: failed.map((run) => ({ status: 'failed', passed: run.isPassed, error: run.error })),
    }
  }

  /** The execution has ended, though some runs are not on record. */
  noteEnd(line: ExecutionEndLine): void {
    this.#log.append(line)
  }

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
    // A shared run is already being delivered in its earlier state.
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

  /** `unmasked` are suites that still hold secrets. @throws ConfigError */
  #writeRun(run: RecordedRun, kept: RecordedRun['kept'], unmasked: Suite[]): void {
    const context = this.#describe(run)
    this.settings.redactor.maskTexts(unmasked)
    run.take(mapRun(this.#maskNames(run.source), context, kept), kept, this.#keepText)
    this.#write(run, () => run.toLine())
    // Not the log, which changes with its suite.
    const ofSuites = new Set<unknown>(kept.values())
    for (const attachment of run.attachments)
      if (ofSuites.has(attachment.content)) void this.#sendEarly(run, attachment)
  }

  /** Writes one suite of a shared run. @throws ConfigError */
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
    // Joining may number equal names; renamed attachments are sent again.
    const { attachments } = mapRun(source, { ...context, logs: false }, kept)
    for (const attachment of locateAttachments(attachments, kept, this.#keepText))
      void this.#sendEarly(run, attachment)
  }

  #joinSuites(run: RecordedRun): void {
    if (run.error !== undefined) return
    if (!isOnRecord(run.source)) return this.#discard(run)
    try {
      this.#writeRun(run, run.kept, [])
    } catch (error) {
      this.#refuse(run, error)
    }
  }

  /** If the newest state cannot be written, an older one stays if its verdict is the same. */
  #write(run: RecordedRun, makeLine: () => RunLine | SuiteLine): void {
    if (this.#log.failure === undefined && this.#log.append(makeLine())) run.writtenVerdict = run.isPassed
    else if (run.writtenVerdict !== run.isPassed) this.#withdraw(run)
  }

  /** None of its tests ran, so the run is not recorded. */
  #discard(run: RecordedRun): void {
    run.request = undefined
    this.#withdraw(run)
  }

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
    // Recorded texts have been masked, so the folders in them have been, too.
    const mask = (folder: string): string => redactor.maskText(folder)
    const folders = { roots: this.#folders.roots.map(mask), homes: this.#folders.homes.map(mask) }
    return { ...context, variables: redactor.maskVariables(context.variables), folders }
  }

  #maskNames(source: RunSource): RunSource {
    const { redactor } = this.settings
    return { ...source, project: redactor.maskText(source.project), file: redactor.maskText(source.file) }
  }

  /** Only files of the spool are sent early, because the framework may rewrite its own. */
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
