import { mkdir, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { doFew } from '../util/map-concurrent'
import { claimFolder, releaseClaim, writeClaim } from './claim'
import { FOLDER_MODE } from '../util/durable-write'
import { ENTRY_FILE, JOURNAL_FILE, PARTS_FOLDER, removeFolder } from './entry-files'
import type { SpoolFolder } from './entry-folder'
import { formatEvent } from './progress'
import { readRunLine, readSheet, type SheetRun } from './read-sheet'
import { formatSheetNote, SHEET_FILE } from './run-sheet'
import { ifThere } from './spool-error'

/**
 * Makes entries of what executions have left in these sheets, those excepted that are claimed or another user's. What
 * cannot be done now, or not before the signal aborts, is left for the next time.
 */
export async function unpackSheets(
  spool: SpoolFolder,
  dirs: readonly string[],
  signal?: AbortSignal,
): Promise<void> {
  for (const dir of dirs) {
    if (signal?.aborted) return
    const claim = (await isOwn(dir)) ? await claimFolder(dir).catch(() => undefined) : undefined
    if (claim === undefined) continue
    await unpackSheet(spool, dir, signal).catch(() => releaseClaim(claim).catch(() => undefined))
  }
}

async function isOwn(dir: string): Promise<boolean> {
  const found = await stat(dir).catch(() => undefined)
  return found !== undefined && (process.getuid === undefined || found.uid === process.getuid())
}

/**
 * The same with one sheet that is claimed, which then goes; of one that is given up in the middle, what has become
 * entries counts as done. Errors are the system's, and the signal's.
 */
export async function unpackSheet(spool: SpoolFolder, dir: string, signal?: AbortSignal): Promise<void> {
  // Claimed until the sheet is gone: nobody must have delivered one of them while it can be made again.
  const made = new Map<string, string>()
  try {
    // There is none of a process that was killed before it had written anything.
    const sheet = await ifThere(open(path.join(dir, SHEET_FILE), 'r'))
    if (sheet) await makeEntries({ spool, sheet, made }, signal).finally(() => sheet.close())
    await spool.disk.syncFolder(spool.dir)
    await removeFolder(dir)
  } catch (error) {
    await noteDone(spool, dir, [...made.keys()]).catch(() => undefined)
    throw error
  } finally {
    for (const claim of made.values()) await releaseClaim(claim).catch(() => undefined)
  }
}

async function noteDone({ dir: spoolDir, disk }: SpoolFolder, dir: string, ids: string[]): Promise<void> {
  if (ids.length === 0) return
  await disk.syncFolder(spoolDir)
  const notes = ids.map((of) => formatSheetNote({ of, event: 'done' }))
  await disk.append(path.join(dir, SHEET_FILE), `\n${notes.join('')}`)
}

interface Unpacking {
  spool: SpoolFolder
  sheet: FileHandle
  /** Claims of the entries that were made, by their runs. */
  made: Map<string, string>
}

async function makeEntries({ spool, sheet, made }: Unpacking, signal?: AbortSignal): Promise<void> {
  const failures: unknown[] = []
  await doFew(await readSheet(sheet), async (run) => {
    try {
      signal?.throwIfAborted()
      const claim = await makeEntry(spool, run, sheet)
      if (claim !== undefined) made.set(run.submissionId, claim)
    } catch (error) {
      failures.push(error)
    }
  })
  // Not before the others are done: one run does not block the rest, and nobody may begin with the sheet meanwhile.
  if (failures.length > 0) throw failures[0]
}

/** Whole or not at all, its journal included; answers its claim, none when it is an entry already. */
async function makeEntry(
  { dir, disk }: SpoolFolder,
  run: SheetRun,
  sheet: FileHandle,
): Promise<string | undefined> {
  const { submissionId, events } = run
  const target = path.join(dir, submissionId)
  if (await isEntry(target)) return undefined
  const hidden = path.join(dir, `.new-${submissionId}`)
  try {
    for (const leftover of [hidden, target]) await rm(leftover, { recursive: true, force: true })
    await mkdir(hidden, { mode: FOLDER_MODE })
    const claim = path.basename(writeClaim(hidden))
    const journal = events.map(formatEvent).join('')
    if (journal !== '') await disk.append(path.join(hidden, JOURNAL_FILE), journal)
    const line = await readRunLine(sheet, run)
    await disk.writeDurably(path.join(hidden, ENTRY_FILE), Buffer.concat([line, Buffer.from('\n')]))
    await disk.syncFolder(hidden)
    await rename(hidden, target)
    return path.join(target, claim)
  } catch (error) {
    await rm(hidden, { recursive: true, force: true }).catch(() => undefined)
    throw error
  }
}

/** Also one that has parts: then the run has got files since it was in the sheet. */
async function isEntry(folder: string): Promise<boolean> {
  const names: string[] = await readdir(folder).catch(() => [])
  const parts = names.includes(PARTS_FOLDER) ? await readdir(path.join(folder, PARTS_FOLDER)) : []
  return names.includes(ENTRY_FILE) || parts.some((name) => name.endsWith('.json'))
}
