import { messageOf } from '@runledger/core/tools'
import { mkdtemp, rmdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { count } from '../table'
import { fault, type Finding, ok } from './finding'

/** Checks whether runs can wait in a folder. Leaves nothing there. */
export async function examineSpool(dir: string, waiting: number): Promise<Finding> {
  try {
    const place = await findExisting(dir)
    await rmdir(await mkdtemp(path.join(place, '.runledger-doctor-')))
  } catch (error) {
    return fault('spool', {
      code: 'spool-not-writable',
      message: `runs cannot wait in ${dir}: ${messageOf(error)}`,
      fix: 'Make it a folder that you can write, with room on its disk, or set spoolDir (RUNLEDGER_SPOOL_DIR) to another one.',
    })
  }
  const advice = waiting === 0 ? '' : ': npx runledger upload sends them'
  return ok('spool', `${dir}: ${count(waiting, 'run')} waiting${advice}`)
}

/** The folder, or the nearest existing one above it. */
async function findExisting(dir: string): Promise<string> {
  try {
    if ((await stat(dir)).isDirectory()) return dir
  } catch (error) {
    const parent = path.dirname(dir)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === dir) throw error
    return findExisting(parent)
  }
  throw new Error(`${dir} is not a folder`)
}
