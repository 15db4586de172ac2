import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { doFew } from '../few'
import { claimFolder, releaseClaim, writeClaim } from './claim'
import { FOLDER_MODE } from './durable-write'
import { ENTRY_FILE, JOURNAL_FILE, PARTS_FOLDER, removeFolder, type SpoolFolder } from './entry-folder'
import { formatEvent, type ProgressEvent } from './progress'
import { SHEET_FILE, SHEET_NAME } from './run-sheet'

interface SheetRun {
  submissionId: string
  /** As `entry.json` has it. */
  text: string
  events: ProgressEvent[]
}

/** Makes entries of what ended executions have left in their sheets. What cannot be done now is left for the next time. */
export async function unpackSheets(spool: SpoolFolder): Promise<void> {
  const names = await readdir(spool.dir).catch(() => [])
  for (const name of names.filter((each) => SHEET_NAME.test(each))) {
    const dir = path.join(spool.dir, name)
    const claim = (await isOwn(dir)) ? await claimFolder(dir).catch(() => undefined) : undefined
    if (claim === undefined) continue
    await unpackSheet(spool, dir).catch(() => releaseClaim(claim).catch(() => undefined))
  }
}

async function isOwn(dir: string): Promise<boolean> {
  const found = await stat(dir).catch(() => undefined)
  return found !== undefined && (process.getuid === undefined || found.uid === process.getuid())
}

/** The same with one sheet that is claimed, which then goes. Errors are the system's. */
export async function unpackSheet(spool: SpoolFolder, dir: string): Promise<void> {
  const runs = await parseSheet(await readFile(path.join(dir, SHEET_FILE), 'utf8').catch(emptyIfGone))
  // Claimed until the sheet is gone: nobody must have delivered one of them while it can be made again.
  const claims: string[] = []
  await doFew(runs, async (run) => void claims.push(...(await makeEntry(spool, run))))
  await spool.disk.syncFolder(spool.dir)
  await removeFolder(dir)
  for (const claim of claims) await releaseClaim(claim)
}

/** A process that was killed before it had written anything. */
function emptyIfGone(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
  throw error
}

/** The runs that wait. A line that is cut or strange counts for nothing. */
async function parseSheet(text: string): Promise<SheetRun[]> {
  const { parseEvents, parseSheetLine } = await import('./spool-schemas')
  const runs = new Map<string, SheetRun>()
  for (const line of text.split('\n')) {
    const found = parseSheetLine(line)
    if (found === undefined) continue
    const { submissionId } = found
    const run = runs.get(submissionId)
    if (found.kind === 'run') runs.set(submissionId, { submissionId, text: line, events: run?.events ?? [] })
    else if (found.kind === 'done') runs.delete(submissionId)
    else run?.events.push(...parseEvents(line))
  }
  return [...runs.values()]
}

/** Whole or not at all, its journal included; answers its claim, none when it is an entry already. */
async function makeEntry(
  { dir, disk }: SpoolFolder,
  { submissionId, text, events }: SheetRun,
): Promise<string[]> {
  const target = path.join(dir, submissionId)
  if (await isEntry(target)) return []
  const hidden = path.join(dir, `.new-${submissionId}`)
  for (const leftover of [hidden, target]) await rm(leftover, { recursive: true, force: true })
  await mkdir(hidden, { mode: FOLDER_MODE })
  const claim = path.basename(writeClaim(hidden))
  if (events.length > 0) await disk.append(path.join(hidden, JOURNAL_FILE), events.map(formatEvent).join(''))
  await disk.writeDurably(path.join(hidden, ENTRY_FILE), `${text}\n`)
  await disk.syncFolder(hidden)
  await rename(hidden, target)
  return [path.join(target, claim)]
}

/** Also one that has parts: then the run has got files since it was in the sheet. */
async function isEntry(folder: string): Promise<boolean> {
  const names: string[] = await readdir(folder).catch(() => [])
  const parts = names.includes(PARTS_FOLDER) ? await readdir(path.join(folder, PARTS_FOLDER)) : []
  return names.includes(ENTRY_FILE) || parts.some((name) => name.endsWith('.json'))
}
