import { constants, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { chmod, copyFile, mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import pLimit from 'p-limit'
import {
  codeOf,
  digestBytes,
  digestFile,
  FILE_MODE,
  FOLDER_MODE,
  syncFile,
  syncFolder,
  type Digest,
} from '../util/files'
import type { StoredFile } from './log-lines'

const SYNCS_AT_ONCE = 4

/** Shares blocks if possible. A new file, because ext4 flushes an overwritten one when it is closed, which delays all syncs. */
const AS_NEW_FILE = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL

/** Copies a file in its own way, for example without secrets; undefined if it does not apply. */
export type CopyTo = (to: string) => Promise<Digest | undefined>

/** The files of one execution, `files/N.ext`; equal bytes are stored once. Throws the system's errors. */
export class FileStore {
  readonly #unsynced = new Set<string>()
  readonly #byDigest = new Map<string, StoredFile>()
  #count = 0

  constructor(readonly dir: string) {}

  pathOf(file: string): string {
    return path.join(this.dir, file)
  }

  /** Continues the store of another process: overwrites nothing, and syncs everything again. */
  async adopt(): Promise<void> {
    const names = await readdir(this.dir).catch(() => [])
    for (const name of names) this.#unsynced.add(name)
    this.#count = names.reduce((highest, name) => Math.max(highest, Number.parseInt(name, 10) || 0), 0)
  }

  /** Returns when the bytes are stored. */
  keepBytes(bytes: Uint8Array, extension: string): StoredFile {
    const digest = digestBytes(bytes)
    const key = `${digest.sha256}${extension}`
    const known = this.#byDigest.get(key)
    if (known !== undefined) return known
    mkdirSync(this.dir, { recursive: true, mode: FOLDER_MODE })
    const file = this.#nextName(extension)
    try {
      writeFileSync(this.pathOf(file), bytes, { mode: FILE_MODE, flag: 'wx' })
    } catch (error) {
      // Frees the space, so that a line of the log may still fit.
      rmSync(this.pathOf(file), { force: true })
      throw error
    }
    const stored = { file, ...digest }
    this.#byDigest.set(key, stored)
    this.#unsynced.add(file)
    return stored
  }

  /** Not a hard link: tests rewrite files in place (a screenshot under a fixed name), which would change the copy. */
  async copy(source: string, copyTo?: CopyTo): Promise<StoredFile> {
    await mkdir(this.dir, { recursive: true, mode: FOLDER_MODE })
    const file = this.#nextName(path.extname(source))
    const to = this.pathOf(file)
    try {
      const digest = (await copyTo?.(to)) ?? (await copyWhole(source, to))
      // Not earlier: syncing a partial file would count for all of it.
      this.#unsynced.add(file)
      return { file, ...digest }
    } catch (error) {
      await rm(to, { force: true }).catch(() => undefined)
      throw error
    }
  }

  async sync(): Promise<void> {
    const files = [...this.#unsynced]
    if (files.length === 0) return
    await pLimit(SYNCS_AT_ONCE).map(files, (file) => syncFile(this.pathOf(file)).catch(ignoreUnopenable))
    await syncFolder(this.dir)
    for (const file of files) this.#unsynced.delete(file)
  }

  #nextName(extension: string): string {
    this.#count += 1
    return `${this.#count}${/^\.[\w-]{1,20}$/.test(extension) ? extension : ''}`
  }
}

async function copyWhole(source: string, to: string): Promise<Digest> {
  // A text that turned out to be binary left a beginning.
  await rm(to, { force: true })
  await copyFile(source, to, AS_NEW_FILE)
  await chmod(to, FILE_MODE)
  return digestFile(to)
}

/** An unreadable file is reported when it is sent. Running out of descriptors fails the sync. */
function ignoreUnopenable(error: unknown): void {
  const { syscall } = error as NodeJS.ErrnoException
  if (syscall !== 'open' || ['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '')) throw error
}
