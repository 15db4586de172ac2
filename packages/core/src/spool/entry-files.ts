import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, rmdir, stat, unlink } from 'node:fs/promises'
import path from 'node:path'
import type { ProgressEvent } from './progress'
import type { SpoolEntry } from './spool-entry'
import { ifThere, StrangeEntryError } from './spool-error'
import type { SuitePart } from './suite-part'

/** What lies in an entry's folder, which `EntryFolder` describes; whoever reads it here need not have claimed it. */

export const ENTRY_FILE = 'entry.json'
export const JOURNAL_FILE = 'journal.jsonl'
export const PARTS_FOLDER = 'parts'

/** Reads an entry without claiming it. @throws StrangeEntryError when it is half-written or none of ours. */
export async function readEntryFolder(dir: string): Promise<SpoolEntry | SuitePart[]> {
  const text = await ifThere(readFile(path.join(dir, ENTRY_FILE), 'utf8'))
  const { parseEntry } = await import('./spool-schemas')
  const entry = text === undefined ? await readParts(dir) : parseEntry(text)
  const ids = Array.isArray(entry) ? entry.map(({ submissionId }) => submissionId) : [entry.submissionId]
  if (ids.some((id) => id !== path.basename(dir)))
    throw new StrangeEntryError('it is the entry of another run')
  return entry
}

/** What came of an entry's delivery so far, read without claiming it. */
export async function readJournal(dir: string): Promise<ProgressEvent[]> {
  const journal = await ifThere(readFile(path.join(dir, JOURNAL_FILE), 'utf8'))
  if (journal === undefined) return []
  const { parseEvents } = await import('./spool-schemas')
  return parseEvents(journal)
}

/** When an entry was written (milliseconds since the Unix epoch), and how many bytes it takes. */
export async function measureFolder(dir: string): Promise<{ writtenAtMs: number; sizeBytes: number }> {
  const names = await readdir(dir, { recursive: true, withFileTypes: true })
  const files = names.filter((name) => name.isFile()).map((name) => path.join(name.parentPath, name.name))
  const stats = await Promise.all(files.map((file) => stat(file).catch(() => undefined)))
  const entry = await stat(path.join(dir, ENTRY_FILE)).catch(() => stat(dir))
  return {
    writtenAtMs: entry.mtimeMs,
    sizeBytes: stats.reduce((sum, found) => sum + (found?.size ?? 0), 0),
  }
}

/** Removes an entry's folder: first its name, so that a half-removed one is no entry. `files` may be all that is in it. */
export async function removeFolder(dir: string, files: readonly string[] = []): Promise<void> {
  const name = `.old-${path.basename(dir)}-${randomUUID().slice(0, 8)}`
  const hidden = path.join(path.dirname(dir), name)
  const target = await rename(dir, hidden).then(
    () => hidden,
    () => dir,
  )
  await Promise.all(files.map((file) => unlink(path.join(target, file)).catch(() => undefined)))
  // Mostly empty by now, which takes less than to look what is in it.
  await rmdir(target).catch(() => rm(target, { recursive: true, force: true }))
}

/** A part's file: its name has its place among the parts. */
export function namePart(index: number): string {
  return `${String(index).padStart(8, '0')}.json`
}

async function readParts(dir: string): Promise<SuitePart[]> {
  const folder = path.join(dir, PARTS_FOLDER)
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json')).sort()
  if (names.length === 0) throw new StrangeEntryError('it has no entry.json: it was cut short')
  return Promise.all(
    names.map(async (name) => {
      const { parsePart } = await import('./spool-schemas')
      return parsePart(await readFile(path.join(folder, name), 'utf8'), name)
    }),
  )
}
