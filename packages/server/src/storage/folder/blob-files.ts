import { createHash, randomUUID } from 'node:crypto'
import { constants, fsync } from 'node:fs'
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

export const BLOBS_FOLDER = 'blobs'
export const STAGING_FOLDER = 'incoming'

export const PREFIXES = Array.from({ length: 256 }, (_, number) => number.toString(16).padStart(2, '0'))

const PREFIX = /^[0-9a-f]{2}$/
/** A digest and a unique suffix, which names written by older versions lack. */
const FILE = /^[0-9a-f]{64}(?:-[0-9a-f-]+)?$/
const COPIES_AT_ONCE = 8

// Not `handle.sync()`: the file handles of Yarn PnP lack it.
export const syncDescriptor = promisify(fsync)

export async function listPrefixes(folder: string): Promise<string[]> {
  return (await readFolder(folder)).filter((name) => PREFIX.test(name)).toSorted()
}

/** As `aa/<sha256>-<random>`, in order. */
export async function listBlobs(folder: string, prefix: string): Promise<string[]> {
  const files = (await readFolder(join(folder, prefix))).filter((file) => FILE.test(file)).toSorted()
  return files.map((file) => `${prefix}/${file}`)
}

const NAME = new RegExp(`${PREFIX.source.slice(0, -1)}/${FILE.source.slice(1)}`)

/** False for other paths: a database from elsewhere may contain them. */
export function isBlobName(name: string): boolean {
  return NAME.test(name)
}

/** Size in bytes; undefined if the file is missing. */
export async function findBlobSize(folder: string, name: string): Promise<number | undefined> {
  return isBlobName(name) ? findSize(join(folder, name)) : undefined
}

/** Size in bytes; undefined if the file is missing. */
export async function findSize(path: string): Promise<number | undefined> {
  return (await stat(path).catch(ignoreMissing))?.size
}

export async function measureBytes(bytes: Readable): Promise<{ sha256: string; sizeBytes: number }> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    hash.update(chunk)
  }
  return { sha256: hash.digest('hex'), sizeBytes }
}

/**
 * When this resolves, the bytes are on disk; call `syncNames` to make the name durable. Returns false if the source file is
 * missing.
 */
export async function copyBlob(from: string, to: string, name: string): Promise<boolean> {
  if (!isBlobName(name)) return false
  const staged = join(to, STAGING_FOLDER, randomUUID())
  try {
    // Shares blocks if the file system can; a hard link would share later damage.
    await copyFile(join(from, name), staged, constants.COPYFILE_FICLONE)
    await syncFile(staged)
    await nameBlob(staged, to, name)
    return true
  } catch (error) {
    await rm(staged, { force: true })
    if (isMissing(error) && (await findSize(join(from, name))) === undefined) return false
    throw error
  }
}

/** When this resolves, the name is on disk too. */
export async function moveBlob(path: string, folder: string, name: string): Promise<void> {
  await nameBlob(path, folder, name)
  await syncNames(folder, dirname(name))
}

async function nameBlob(path: string, folder: string, name: string): Promise<void> {
  const target = join(folder, name)
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await rename(path, target)
}

export async function syncNames(folder: string, prefix: string): Promise<void> {
  await syncFolder(join(folder, prefix)).catch(ignoreMissing)
  // Sync the parent even if the folder existed: its creator may not have synced it yet.
  await syncFolder(folder)
}

/** Readable by its owner only; on disk when this resolves. */
export async function syncFile(path: string): Promise<void> {
  // Some file systems have no modes.
  await chmod(path, 0o600).catch(() => undefined)
  const file = await open(path, 'r+')
  try {
    await syncDescriptor(file.fd)
  } finally {
    await file.close()
  }
}

/** A rename in the folder is durable only after this. Windows does not need it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(path, 'r')
  try {
    await syncDescriptor(handle.fd)
  } finally {
    await handle.close()
  }
}

/** After a failure it starts no new item, waits for the running ones, then rejects. */
export async function forEachBlob<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const shared = shareItems(items)
  const takeItems = async () => {
    for (const item of shared) await work(item)
  }
  const ends = await Promise.allSettled(Array.from({ length: COPIES_AT_ONCE }, takeItems))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
}

// Shared by all workers: if one throws, the generator ends for all.
function* shareItems<Item>(items: Iterable<Item>): Generator<Item> {
  yield* items
}

async function readFolder(path: string): Promise<string[]> {
  return (await readdir(path).catch(ignoreMissing)) ?? []
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
