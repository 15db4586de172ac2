import { readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { claimFolder, isClaimed, isForsaken } from './claim'
import { makeFolder } from '../util/durable-write'
import { measureFolder, removeFolder } from './entry-files'
import { EntryFolder } from './entry-folder'
import { RunSheet, SHEET_NAME } from './run-sheet'
import { SpoolDisk } from './spool-disk'
import { codeOf, ifThere, toSpoolErrors } from './spool-error'

export const SET_ASIDE_FOLDER = 'set-aside'
const ENTRY_NAME = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NEW_NAME = /^\.new-/
const OLD_NAME = /^\.old-/
const UNPACKED_AT_END = 100
const LEFTOVER_MS = 60 * 60 * 1000

/** An entry as it is listed: what it is called, when it was written (since the Unix epoch), how many bytes it takes. */
export interface ListedEntry {
  submissionId: string
  dir: string
  writtenAtMs: number
  sizeBytes: number
}

/** The spool of a project: a folder with one folder for each run that waits. Whatever else lies there is left alone. */
export class FolderSpool {
  readonly disk = new SpoolDisk()
  #opening: Promise<void> | undefined
  #sheet: RunSheet | undefined

  constructor(readonly dir: string) {}

  /** Makes a new entry, claimed. @throws SpoolError when the folder cannot be written. */
  async create(submissionId: string): Promise<EntryFolder> {
    await toSpoolErrors(() => this.#open())
    return EntryFolder.create(this, submissionId)
  }

  /** The same before it returns; for a spool that has answered. Errors are the system's. */
  createAtOnce(submissionId: string): EntryFolder {
    return EntryFolder.createAtOnce(this, submissionId)
  }

  /** The sheet for this execution's runs without files; undefined where the disk is not quick. @throws SpoolError */
  async openSheet(): Promise<RunSheet | undefined> {
    return toSpoolErrors(async () => {
      await this.#open()
      return this.openSheetAtOnce()
    })
  }

  /** The same before it returns, for a spool that has answered. Errors are the system's. */
  openSheetAtOnce(): RunSheet | undefined {
    if (!this.disk.isQuick) return undefined
    return (this.#sheet ??= RunSheet.create(this))
  }

  /** When it returns, every line of the sheet is on the disk. @throws SpoolError */
  async syncSheet(): Promise<void> {
    await this.#sheet?.sync()
  }

  /** Leaves the sheet alone from now on, whatever is under way there. */
  abandonSheet(): void {
    this.#sheet?.abandon()
    this.#sheet = undefined
  }

  /**
   * Makes entries of what is left in the sheet. Where that fails, or would take long with nothing but the end to wait
   * for, they are made by whoever lists them next. Never rejects.
   */
  async closeSheet(): Promise<void> {
    const sheet = this.#sheet
    this.#sheet = undefined
    try {
      if (sheet === undefined || (await sheet.close())) return
      if (sheet.waitingCount > UNPACKED_AT_END || !this.disk.isQuick) return await sheet.release()
      const { unpackSheet } = await import('./unpack-sheet')
      await unpackSheet(this, sheet.dir)
    } catch {
      await sheet?.release().catch(() => undefined)
    }
  }

  /** Makes the folder, if it can be made, and tells whether its disk is quick. Never rejects; where a network folder hangs it never answers. */
  async isQuick(): Promise<boolean> {
    await this.#open().catch(() => undefined)
    return this.disk.isQuick
  }

  #open(): Promise<void> {
    return (this.#opening ??= this.disk.open(this.dir))
  }

  /**
   * Every entry of this user's, oldest first, those included that are made now of what ended executions have left in
   * their sheets, until the signal aborts; none when there is no such folder.
   */
  async list(signal?: AbortSignal): Promise<ListedEntry[]> {
    const sheets = await this.#listSheets()
    if (sheets.length > 0) {
      const { unpackSheets } = await import('./unpack-sheet')
      await unpackSheets(this, sheets, signal)
    }
    return listEntries(this.dir, (name) => ENTRY_NAME.test(name))
  }

  /** All but the one that is written now; some of them are other executions'. */
  async #listSheets(): Promise<string[]> {
    const names = await readNames(this.dir).catch(() => [])
    const sheets = names.filter((name) => SHEET_NAME.test(name)).map((name) => path.join(this.dir, name))
    return sheets.filter((dir) => dir !== this.#sheet?.dir)
  }

  /** Entries that could not be read. */
  async listSetAside(): Promise<ListedEntry[]> {
    return listEntries(path.join(this.dir, SET_ASIDE_FOLDER), () => true)
  }

  /** Claims an entry; undefined when another execution has it, or it has gone meanwhile. */
  async open(submissionId: string): Promise<EntryFolder | undefined> {
    const dir = path.join(this.dir, submissionId)
    const claim = await ifThere(claimFolder(dir))
    return claim === undefined ? undefined : EntryFolder.open(this, dir, claim)
  }

  /** True when an execution that runs has the entry. */
  isClaimed(submissionId: string): Promise<boolean> {
    return isClaimed(path.join(this.dir, submissionId))
  }

  /** Moves an entry that cannot be read out of the way; where that fails it stays and is passed over. */
  async setAside(submissionId: string): Promise<void> {
    const folder = path.join(this.dir, SET_ASIDE_FOLDER)
    try {
      await makeFolder(folder)
      await rename(path.join(this.dir, submissionId), path.join(folder, submissionId))
    } catch {
      // Of no use as it is, and in nobody's way.
    }
  }

  /** Removes an entry for good. */
  async drop(dir: string): Promise<void> {
    await removeFolder(dir)
  }

  /** Removes what a killed process left of entries that were just made or removed. */
  async removeLeftovers(): Promise<void> {
    const names = await readdir(this.dir).catch(() => [])
    for (const name of names) {
      const folder = path.join(this.dir, name)
      // What has lost its name was done with, whoever was removing it.
      const isLeftover = OLD_NAME.test(name) || (NEW_NAME.test(name) && (await isGivenUp(folder)))
      if (isLeftover) await rm(folder, { recursive: true, force: true }).catch(() => undefined)
    }
  }
}

async function isGivenUp(folder: string): Promise<boolean> {
  try {
    return (await isForsaken(folder)) || Date.now() - (await stat(folder)).mtimeMs > LEFTOVER_MS
  } catch {
    return false
  }
}

async function listEntries(folder: string, isEntry: (name: string) => boolean): Promise<ListedEntry[]> {
  const names = await readNames(folder)
  const entries = await Promise.all(
    names.filter(isEntry).map(async (name) => measureOwn(path.join(folder, name))),
  )
  return entries.filter((entry) => entry !== undefined).sort((a, b) => a.writtenAtMs - b.writtenAtMs)
}

/** Undefined for what is another user's, no folder, or gone. */
async function measureOwn(dir: string): Promise<ListedEntry | undefined> {
  try {
    const found = await stat(dir)
    const isOwn = process.getuid === undefined || found.uid === process.getuid()
    if (!found.isDirectory() || !isOwn) return undefined
    return { submissionId: path.basename(dir), dir, ...(await measureFolder(dir)) }
  } catch {
    return undefined
  }
}

async function readNames(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return []
    throw error
  }
}
