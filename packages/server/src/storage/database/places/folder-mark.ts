import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../../folder/blob-files'
import { writeWhole, DATABASE_FILE, MARK_FILE } from '../../folder/data-folder'
import { StartError } from '../../../base/errors'
import type { Database, Query } from '../database'
import { hasBlobs } from './folder-owner'
import { readInternal, writeSettingRow } from '../internal-settings'

const SETTING = 'internal.folder_mark'

/**
 * Refuses an SQLite database that is older than its files or from another folder: the clean-up would delete files that it does
 * not name. Folder and database share a mark that changes each hour. @throws StartError
 */
export async function refuseOtherDatabase(dataDir: string, query: Query): Promise<void> {
  const mark = await readMark(dataDir)
  if (mark === undefined || (await readKnown(query)).includes(mark) || !(await hasBlobs(dataDir))) return
  throw new StartError(
    `${DATABASE_FILE} in ${dataDir} is older than the files there, or comes from another folder: files that it does not name would be deleted. Put the right database back (runledger restore takes one from a backup). To serve this one without the later records, delete ${MARK_FILE} there.`,
  )
}

/** Makes earlier copies of the database count as older. */
export async function renewMark(dataDir: string, database: Database): Promise<void> {
  const mark = randomUUID()
  // The former mark stays valid: the process may end before the file is written.
  const known = [mark, await readMark(dataDir)].filter((one) => one !== undefined)
  await database.write((transaction) => writeSettingRow(transaction, SETTING, known))
  await writeWhole(join(dataDir, MARK_FILE), `${mark}\n`, 0o600)
  await syncFolder(dataDir)
}

async function readMark(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(join(dataDir, MARK_FILE), 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function readKnown(query: Query): Promise<string[]> {
  return ((await readInternal(query, SETTING)) as string[] | undefined) ?? []
}
