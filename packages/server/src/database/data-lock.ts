import { join } from 'node:path'
import { StartError } from '../errors'
import { loadSqlite } from './sqlite-driver'

export const LOCK_FILE = 'lock.db'

/**
 * Takes the data folder for this process, or throws StartError when another one has it. SQLite's lock on an empty
 * database is the operating system's: it ends with the process, however that ends. Returns what gives it back.
 */
export async function lockDataFolder(
  dataDir: string,
  busyMessage = `Another Runledger service uses the data folder ${dataDir}. Stop it first, or give another folder with --data.`,
): Promise<() => void> {
  const { DatabaseSync } = await loadSqlite()
  const connection = new DatabaseSync(join(dataDir, LOCK_FILE))
  try {
    connection.exec('PRAGMA busy_timeout=0')
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection.close()
    if (!isBusy(error)) throw error
    throw new StartError(busyMessage, { cause: error })
  }
  return () => connection.close()
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && /database is locked/i.test(error.message)
}
