import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeSync, writevSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { measurePieces, type Pieces } from '../pieces'
import { holdClaim, letGoOfClaim, releaseClaim, writeClaim } from './claim'
import { FILE_MODE, FOLDER_MODE } from '../util/durable-write'
import { removeFolder } from './entry-files'
import type { SpoolFolder } from './entry-folder'
import type { ProgressEvent } from './progress'
import type { RunEntry } from './run-entry'
import { SheetEntry } from './sheet-entry'
import { codeOf, toSpoolErrors } from './spool-error'

export const SHEET_NAME = /^sheet-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
export const SHEET_FILE = 'runs.jsonl'

/** How soon lines are synced while tests run, in milliseconds. */
const SYNC_MS = 1_000

/** What came of a run, beside its own line; `done`: it needs nothing more of the spool. */
export type SheetNote = { of: string } & (ProgressEvent | { event: 'done' })

export function formatSheetNote(note: SheetNote): string {
  return `${JSON.stringify(note)}\n`
}

/**
 * The runs of one execution that need no files, a line for each: that takes a tenth of the time of a folder for each.
 *
 *     sheet-<id>/runs.jsonl  entries as `entry.json` has them, a later one of a run for the one before; notes on them
 *     sheet-<id>/claim-…     who writes it
 *
 * What is left in it, by its own execution or a killed one, becomes entries (`unpack-sheet.ts`).
 */
export class RunSheet {
  readonly #waiting = new Set<string>()
  readonly #file: number
  #isBroken = false
  #isGone = false
  #areFoldersSynced = false
  #syncedAtMs = -Infinity
  /** How many lines of runs were written, and how many of them were synced. */
  #written = 0
  #onDisk = 0
  #synced: Promise<void> = Promise.resolve()
  #nextSync: Promise<void> | undefined
  #later: NodeJS.Timeout | undefined
  /** The first sync that failed: the system tells of a loss once, and a later sync would answer as if all were well. */
  #failure: unknown

  private constructor(
    readonly dir: string,
    private readonly spool: SpoolFolder,
    private readonly claim: string,
  ) {
    this.#file = openSync(path.join(dir, SHEET_FILE), 'ax', FILE_MODE)
    holdClaim(this.#claimFile)
  }

  get #claimFile(): string {
    return path.join(this.dir, this.claim)
  }

  /** Errors are the system's. */
  static create(spool: SpoolFolder): RunSheet {
    const name = `sheet-${randomUUID()}`
    const hidden = path.join(spool.dir, `.new-${name}`)
    try {
      mkdirSync(hidden, { mode: FOLDER_MODE })
      const claim = path.basename(writeClaim(hidden))
      const dir = path.join(spool.dir, name)
      renameSync(hidden, dir)
      return new RunSheet(dir, spool, claim)
    } catch (error) {
      rmSync(hidden, { recursive: true, force: true })
      throw error
    }
  }

  /**
   * Writes a run down, as `formatEntry` has it, before it returns: a kill does not lose it from then on, a crash of the
   * machine may until it is synced. Errors are the system's.
   */
  keepAtOnce(submissionId: string, line: Pieces): RunEntry {
    this.#write(line)
    this.#written += 1
    this.#waiting.add(submissionId)
    return new SheetEntry(this, submissionId)
  }

  /** Somebody has removed it. */
  get isGone(): boolean {
    return this.#isGone
  }

  /** Nothing of a run waits any more. */
  finish(submissionId: string): void {
    if (this.#waiting.delete(submissionId)) this.note({ event: 'done', of: submissionId })
  }

  /** When it returns, all that was written before is on the disk, and the sheet is where it was. @throws SpoolError */
  async sync(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure
    if (this.#written === this.#onDisk && this.#isFresh) return
    await this.#syncAll()
  }

  /**
   * The same a little later, for all that is written until then, and nobody waits for it: what is written survives the
   * process, so this is for a crash of the machine, and each sync takes time from the tests.
   */
  syncSoon(): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined
      // What goes wrong shows again at the next sync.
      this.sync().catch(() => undefined)
    }, SYNC_MS).unref()
  }

  get #isFresh(): boolean {
    return performance.now() - this.#syncedAtMs < SYNC_MS
  }

  #syncAll(): Promise<void> {
    // One that is under way may have begun before the last line was written.
    this.#nextSync ??= this.#synced.then(() => {
      this.#nextSync = undefined
      return toSpoolErrors(() => this.#syncNow())
    })
    const next = this.#nextSync
    this.#synced = next.catch((error: unknown) => {
      this.#failure ??= error
    })
    return next
  }

  async #syncNow(): Promise<void> {
    const { disk, dir } = this.spool
    const written = this.#written
    this.#syncedAtMs = performance.now()
    await disk.syncOpen(this.#file)
    await this.#checkPlace()
    if (!this.#areFoldersSynced) await Promise.all([disk.syncFolder(this.dir), disk.syncFolder(dir)])
    this.#areFoldersSynced = true
    this.#onDisk = written
  }

  /** What is written to a file that somebody has removed is on no disk. */
  async #checkPlace(): Promise<void> {
    try {
      await stat(path.join(this.dir, SHEET_FILE))
    } catch (error) {
      this.#isGone = codeOf(error) === 'ENOENT'
      throw this.#isGone ? new Error(`${this.dir} has been removed while it was in use`) : error
    }
  }

  /** A sheet that cannot be written any more has the run all the same. */
  note(note: SheetNote): void {
    try {
      this.#write([Buffer.from(formatSheetNote(note))])
    } catch {
      // What it would have told is found out anew by whoever reads the sheet.
    }
  }

  /** What a full disk has left of a line must not become the beginning of the next one. */
  #write(line: Pieces): void {
    const whole = this.#isBroken ? [Buffer.from('\n'), ...line] : line
    this.#isBroken = true
    this.spool.disk.doAtOnce(() => writeWhole(this.#file, whole))
    this.#isBroken = false
  }

  /** Lets another process have it. */
  async release(): Promise<void> {
    await releaseClaim(this.#claimFile)
  }

  /** Touches it no more, but for what is noted. */
  abandon(): void {
    letGoOfClaim(this.#claimFile)
    clearTimeout(this.#later)
  }

  /** How many runs wait in it. */
  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Ends it; true when it has nothing that waits, and is gone. A sheet that stays is for whoever opens it next. */
  async close(): Promise<boolean> {
    this.abandon()
    closeSync(this.#file)
    if (this.#waiting.size > 0) return false
    await removeFolder(this.dir, [this.claim, SHEET_FILE]).catch(() => undefined)
    return true
  }
}

/** In one go, as mostly; errors are the system's. */
function writeWhole(file: number, pieces: Pieces): void {
  const sizeBytes = measurePieces(pieces)
  let written = writevSync(file, pieces)
  if (written === sizeBytes) return
  const whole = Buffer.concat(pieces)
  while (written < sizeBytes) written += writeSync(file, whole, written)
}
