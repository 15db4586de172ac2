import { close, fsync, open as openDescriptor, renameSync, write, writeFileSync } from 'node:fs'
import { chmod, mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'

/** Only the user may read what waits in the spool: test output can hold anything. */
export const FILE_MODE = 0o600
export const FOLDER_MODE = 0o700

/**
 * Makes a folder and those above it. Node's own way (`recursive`) never ends where a folder is there and says that it is
 * not when something is to be made in it, as `/proc` does.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await makeOne(folder)) return
  const parent = path.dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  // Somebody else may have made the parent meanwhile; what is still missing now cannot be made.
  if (!(await makeOne(folder))) await mkdir(folder)
}

/** False when there is nothing to make it in. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: FOLDER_MODE })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'EEXIST') throw error
  }
  return true
}

/** Writes a file under a temporary name, syncs it and renames it: a reader finds all of it or nothing. */
export async function writeDurably(file: string, content: string | Uint8Array): Promise<void> {
  const temporary = `${file}.tmp`
  await writeSynced(temporary, content)
  await rename(temporary, file)
}

/** Whole or not at all when this process is killed, and done when it returns; a crash of the machine may lose it. */
export function writeAtOnce(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.tmp`
  writeFileSync(temporary, content, { mode: FILE_MODE })
  renameSync(temporary, file)
}

/** Writes a file that nobody looks for yet, and waits until it is on the disk. */
export async function writeSynced(file: string, content: string | Uint8Array): Promise<void> {
  await useFile(file, 'w', async (descriptor) => {
    await writeAll(descriptor, content)
    await sync(descriptor)
  })
}

/** Adds to a file's end. A crash of the machine may lose it. */
export async function appendTo(file: string, content: string): Promise<void> {
  await useFile(file, 'a', (descriptor) => writeAll(descriptor, content))
}

/** Waits until a file that is there is on the disk. */
export async function syncFile(file: string): Promise<void> {
  await useFile(file, 'r+', sync)
}

/** Waits until a folder's names are on the disk; a system that cannot open folders (Windows) needs no such thing. */
export async function syncFolder(folder: string): Promise<void> {
  try {
    await useFile(folder, 'r', sync)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (!['EISDIR', 'EPERM', 'EACCES', 'EINVAL', 'ENOTSUP'].includes(code)) throw error
  }
}

// Of all file operations these are the many: by descriptors they take half the time that `node:fs/promises` does.
const openFile = promisify(openDescriptor)
const writeSome = promisify(write)
const sync = promisify(fsync)
const closeFile = promisify(close)

async function useFile(
  file: string,
  flags: string,
  action: (descriptor: number) => Promise<unknown>,
): Promise<void> {
  const descriptor = await openFile(file, flags, FILE_MODE)
  try {
    await action(descriptor)
  } finally {
    await closeFile(descriptor)
  }
}

async function writeAll(descriptor: number, content: string | Uint8Array): Promise<void> {
  const bytes = typeof content === 'string' ? Buffer.from(content) : content
  for (let done = 0; done < bytes.byteLength;) {
    const { bytesWritten } = await writeSome(descriptor, bytes, done, bytes.byteLength - done, null)
    done += bytesWritten
  }
}

/** Takes a copied file's mode from its source to ours. */
export async function makePrivate(file: string): Promise<void> {
  await chmod(file, FILE_MODE)
}
