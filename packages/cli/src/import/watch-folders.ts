import { stat } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { glob } from 'tinyglobby'
import { MAX_FILE_BYTES } from './read-file'

/** How often folders are looked at: a file counts as written when it is the same as one look before. */
const LOOK_MS = 1_000
/** After which time something that could not be put on record is tried again. */
const RETRY_MS = 60_000

/** So many files are handed over at once, or so many as are not larger together than one file may be. */
const MAX_FILES_AT_ONCE = 50

interface WatchSettings {
  stop: AbortSignal
  /** How names of results end, such as `xml`. */
  endings: readonly string[]
  lookMs?: number
  retryMs?: number
}

/**
 * Looks for files of results in folders until it is stopped, and hands over those that are new or have changed. `handOver`
 * returns the files to be tried again later. Polls: file systems of other machines tell nobody of changes.
 */
export async function watchFolders(
  folders: readonly string[],
  handOver: (files: string[]) => Promise<readonly string[]>,
  { stop, endings, lookMs = LOOK_MS, retryMs = RETRY_MS }: WatchSettings,
): Promise<void> {
  const watched = new WatchedFiles(folders, endings)
  const retryAtMs = new Map<string, number>()
  while (!stop.aborted) {
    for (const [file, atMs] of retryAtMs) {
      if (atMs > Date.now()) continue
      retryAtMs.delete(file)
      watched.forget(file)
    }
    const ready = await watched.listReady()
    for (const file of ready) retryAtMs.delete(file)
    const failed = ready.length === 0 ? [] : await handOver(ready)
    for (const file of failed) retryAtMs.set(file, Date.now() + retryMs)
    await sleep(lookMs, undefined, { signal: stop }).catch(() => undefined)
  }
}

interface FileState {
  size: number
  mtimeMs: number
  isHandedOver: boolean
}

class WatchedFiles {
  /** As of the last look. */
  #files = new Map<string, FileState>()

  constructor(
    private readonly folders: readonly string[],
    private readonly endings: readonly string[],
  ) {}

  /** Counts those that it returns as handed over. */
  async listReady(): Promise<string[]> {
    const last = this.#files
    this.#files = await this.#look()
    const ready: string[] = []
    let bytes = 0
    for (const [file, state] of this.#files) {
      const before = last.get(file)
      if (before?.size !== state.size || before.mtimeMs !== state.mtimeMs) continue
      state.isHandedOver = before.isHandedOver
      bytes += state.isHandedOver ? 0 : state.size
      const isFull = ready.length === MAX_FILES_AT_ONCE || (ready.length > 0 && bytes > MAX_FILE_BYTES)
      if (state.isHandedOver || isFull) continue
      state.isHandedOver = true
      ready.push(file)
    }
    return ready
  }

  forget(file: string): void {
    const state = this.#files.get(file)
    if (state) state.isHandedOver = false
  }

  async #look(): Promise<Map<string, FileState>> {
    const found = new Map<string, FileState>()
    for (const cwd of this.folders) {
      const files = await glob(
        this.endings.map((ending) => `**/*.${ending}`),
        {
          cwd,
          ignore: ['**/node_modules/**'],
          absolute: true,
          caseSensitiveMatch: false,
          // One that leads upward would bring the whole disk.
          followSymbolicLinks: false,
        },
      )
      for (const file of files) {
        const stats = await stat(file).catch(() => undefined)
        if (!stats?.isFile()) continue
        found.set(path.normalize(file), { size: stats.size, mtimeMs: stats.mtimeMs, isHandedOver: false })
      }
    }
    return found
  }
}
