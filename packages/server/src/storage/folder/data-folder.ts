import { type Credentials, CREDENTIALS_FILE, CredentialsSchema } from '@runledger/protocol'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../../base/errors'
import type { Log } from '../../base/log'
import { isDamaged, isDiskFull } from './disk-errors'

/** Tells a backup from everything else. */
export const BACKUP_FILE = 'backup.json'
/** In a folder to which a backup is being restored. */
export const RESTORING_FILE = 'restore.unfinished'

// Signs of a folder that somebody made for something else.
const FOREIGN_NAMES = ['package.json', '.git']

/** Makes the data folder, readable by its owner alone and never committed. Throws StartError when it is there and is something else. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  await makeFolder(dataDir)
  const names = await readdir(dataDir)
  refuseBackup(dataDir, names)
  const foreign = FOREIGN_NAMES.find((name) => names.includes(name))
  if (foreign !== undefined) throw foreignFolderError(dataDir, foreign)
  if (names.includes(CREDENTIALS_FILE) && !(await readCredentials(dataDir))) {
    throw foreignFolderError(dataDir, `a ${CREDENTIALS_FILE} that is not Runledger's`)
  }
  if (!names.includes('.gitignore')) await keepFromGit(dataDir)
}

/** A service would change the one, and delete in the other what no row names yet. */
function refuseBackup(dataDir: string, names: readonly string[]): void {
  if (names.includes(BACKUP_FILE))
    throw new StartError(
      `${dataDir} holds a backup. Restore it: runledger restore ${dataDir} --data <folder>`,
    )
  if (names.includes(RESTORING_FILE))
    throw new StartError(`${dataDir} holds a part of a backup. Delete what is in it, then restore it again.`)
}

/** Before anything secret is in the folder. */
async function keepFromGit(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, '.gitignore'), '*\n', { flag: 'wx' }).catch(ignoreExisting)
}

/**
 * Takes away what others on the machine may do with the data folder and what is directly in it, whoever made it: that is
 * everything on record and the secret that signs addresses. Windows has no such modes.
 */
export async function closeToOthers(dataDir: string, log: Log): Promise<void> {
  if (process.platform === 'win32') return
  const { uid } = await stat(dataDir)
  if (uid !== process.getuid?.())
    log.warn(`The data folder ${dataDir} belongs to another user, who can read all that is in it`, {
      user: uid,
    })
  try {
    await chmod(dataDir, 0o700)
    for (const entry of await readdir(dataDir, { withFileTypes: true })) {
      if (entry.isFile()) await chmod(join(dataDir, entry.name), 0o600)
      else if (entry.isDirectory()) await chmod(join(dataDir, entry.name), 0o700)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    log.warn(`Others may read the data folder ${dataDir}: its mode could not be changed`, {
      reason: String(error),
    })
  }
}

/**
 * Makes a folder and its parents where they are not there. Not with Node's `recursive`: that never returns below a folder such
 * as `/proc`, which exists and yet answers ENOENT when something is made in it.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting)
}

/** Another process has just made it. */
function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function foreignFolderError(dataDir: string, what: string): StartError {
  return new StartError(
    `The folder ${join(dataDir, '/')} holds ${what}. Give --data a folder of its own, such as .runledger.`,
  )
}

/** What goes wrong with a folder or the database in it as one sentence that names the folder; anything else as it is. */
export function describeFolderError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof StartError || !('code' in error)) return error
  if (isDamaged(error))
    return new StartError(
      `The database ${join(dataDir, DATABASE_FILE)} is damaged, or is none of SQLite: ${error.message}. No file was touched. "runledger restore <backup> --data <new folder>" brings a backup back; without one, "runledger check --data ${dataDir}" says more.`,
      { cause: error },
    )
  if (isDiskFull(error))
    return new StartError(`The data folder ${dataDir} cannot be used: its disk is full. Make room there.`, {
      cause: error,
    })
  return new StartError(
    `The data folder ${dataDir} cannot be used: ${error.message}. Make it writable, or give another with --data.`,
    { cause: error },
  )
}

/** The credentials of a data folder; undefined when there are none or they make no sense. */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  try {
    const text = await readFile(join(dataDir, CREDENTIALS_FILE), 'utf8')
    return CredentialsSchema.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined
    throw error
  }
}

/** Writes the credentials, readable by their owner alone, whole or not at all. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await writeWhole(join(dataDir, CREDENTIALS_FILE), `${JSON.stringify(credentials, null, 2)}\n`, 0o600)
}

/** Writes a file, whole or not at all. */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode, flush: true })
  await rename(temporary, path)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

/** The name of the database in a data folder. */
export const DATABASE_FILE = 'runledger.db'

/** Identifies the last state of the database in the folder. */
export const MARK_FILE = 'database.mark'
