import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { glob } from 'tinyglobby'

/** How often folders are looked at: a file counts as written when it is the same as one look before. */
const LOOK_MS = 1_000
/** After which time something that could not be put on record is tried again. */
const RETRY_MS = 60_000
const MAX_FILES_AT_ONCE = 50

/**
 * Looks for files of results in folders until it is stopped, and hands over those that are new or have changed. `handOver`
 * returns the files to be tried again later. Polls: file systems of other machines tell nobody of changes.
 */
export async function watchFolders(
  folders: readonly string[],
  handOver: (files: string[]) => Promise<readonly string[]>,
  stop: AbortSignal,
): Promise<void> {
  const watched = new WatchedFiles(folders)
  const retries: { file: string; atMs: number }[] = []
  while (!stop.aborted) {
    const ready = await watched.listReady()
    const failed = ready.length === 0 ? [] : await handOver(ready)
    retries.push(...failed.map((file) => ({ file, atMs: Date.now() + RETRY_MS })))
    while (retries[0] !== undefined && retries[0].atMs <= Date.now()) watched.forget(retries.shift()?.file)
    await sleep(LOOK_MS, undefined, { signal: stop }).catch(() => undefined)
  }
}

class WatchedFiles {
  /** What each file was like at the last look, and when it was handed over. */
  #seen = new Map<string, string>()
  readonly #handedOver = new Map<string, string>()

  constructor(private readonly folders: readonly string[]) {}

  async listReady(): Promise<string[]> {
    const now = await this.#look()
    const ready = [...now]
      .filter(([file, state]) => this.#seen.get(file) === state && this.#handedOver.get(file) !== state)
      .slice(0, MAX_FILES_AT_ONCE)
    for (const [file, state] of ready) this.#handedOver.set(file, state)
    this.#seen = now
    return ready.map(([file]) => file)
  }

  forget(file = ''): void {
    this.#handedOver.delete(file)
  }

  async #look(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    for (const cwd of this.folders) {
      const ignore = ['**/node_modules/**']
      for (const file of await glob('**/*.{xml,json}', { cwd, ignore, absolute: true })) {
        const stats = await stat(file).catch(() => undefined)
        if (stats?.isFile()) found.set(file, `${stats.size} ${stats.mtimeMs} ${stats.ino}`)
      }
    }
    return found
  }
}
