import { createHash, hash } from 'node:crypto'
import { createReadStream, fsync, realpathSync } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { OwnFolders } from './text'

/** Only the user may read it: test output can contain anything. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

export interface Digest {
  sizeBytes: number
  sha256: string
}

export function digestBytes(bytes: Uint8Array): Digest {
  return { sizeBytes: bytes.byteLength, sha256: hash('sha256', bytes) }
}

export async function digestFile(file: string): Promise<Digest> {
  const sha256 = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    sha256.update(chunk)
    sizeBytes += chunk.byteLength
  }
  return { sizeBytes, sha256: sha256.digest('hex') }
}

/** Readable by the user only. Node's `recursive` never returns below `/proc`, where making a folder fails with ENOENT. */
export async function makeFolder(folder: string): Promise<void> {
  const parent = path.dirname(folder)
  const found = await stat(parent).catch(() => undefined)
  if (found === undefined && parent !== folder) await makeFolder(parent)
  await mkdir(folder, { mode: FOLDER_MODE }).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

/** Resolves links; returns the path itself if it does not exist. */
export function resolveLinks(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return path.resolve(folder)
  }
}

export function isInside(inner: string, outer: string): boolean {
  const relative = path.relative(outer, inner)
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)
}

export function listOwnFolders(rootDir: string): OwnFolders {
  const listForms = (folder: string): string[] =>
    [...new Set([resolveLinks(folder), path.resolve(folder)])].sort((a, b) => b.length - a.length)
  const roots = listForms(rootDir)
  try {
    return { roots, homes: listForms(homedir()) }
  } catch {
    // The system does not know the user.
    return { roots, homes: [] }
  }
}

export function listFoldersUpward(from: string): string[] {
  const folder = path.resolve(from)
  const parent = path.dirname(folder)
  return parent === folder ? [folder] : [folder, ...listFoldersUpward(parent)]
}

async function syncOpened(handle: FileHandle): Promise<void> {
  try {
    // Not `handle.sync()`: Yarn PnP's file handles have no such method.
    await promisify(fsync)(handle.fd)
  } finally {
    await handle.close()
  }
}

export async function syncFile(file: string): Promise<void> {
  await syncOpened(await open(file, 'r+'))
}

/** Windows cannot open folders and does not need this. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await syncOpened(await open(folder, 'r'))
  } catch (error) {
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(codeOf(error) ?? '')) throw error
  }
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}
