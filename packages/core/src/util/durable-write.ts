import { renameSync, writeFileSync } from 'node:fs'
import { chmod, mkdir } from 'node:fs/promises'
import path from 'node:path'

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

/** Whole or not at all when this process is killed, and done when it returns; a crash of the machine may lose it. */
export function writeAtOnce(file: string, content: string | Uint8Array): void {
  const temporary = `${file}.tmp`
  writeFileSync(temporary, content, { mode: FILE_MODE })
  renameSync(temporary, file)
}

/** Takes a copied file's mode from its source to ours. */
export async function makePrivate(file: string): Promise<void> {
  await chmod(file, FILE_MODE)
}
