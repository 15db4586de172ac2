import { type Credentials, CREDENTIALS_FILE, CredentialsSchema } from '@runledger/protocol'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { StartError } from '../../base/errors'
import type { Log } from '../../base/log'
import { isDamaged, isDiskFull } from './disk-errors'

export const BACKUP_FILE = 'backup.json'
export const RESTORING_FILE = 'restore.unfinished'

const FOREIGN_NAMES = ['package.json', '.git']

/** Readable by its owner only, and ignored by Git. @throws StartError for a folder with another purpose */
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

/** A service would change a backup, and delete restored files that no row names yet. */
function refuseBackup(dataDir: string, names: readonly string[]): void {
  if (names.includes(BACKUP_FILE))
    throw new StartError(
      `${dataDir} holds a backup. Restore it: runledger restore ${dataDir} --data <folder>`,
    )
  if (names.includes(RESTORING_FILE))
    throw new StartError(`${dataDir} holds a part of a backup. Delete what is in it, then restore it again.`)
}

/** Runs before the folder contains any secret. */
async function keepFromGit(dataDir: string): Promise<void> {
  await writeFile(join(dataDir, '.gitignore'), '*\n', { flag: 'wx' }).catch(ignoreExisting)
}

/** Whoever created the folder: it contains all records and the secret that signs addresses. Windows has no such modes. */
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

/** Node's `recursive` never returns below a folder such as `/proc`, which exists and yet answers ENOENT. */
export async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  const parent = dirname(folder)
  if (parent !== folder) await makeFolder(parent)
  await mkdir(folder, { mode: 0o700 }).catch(ignoreExisting)
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

function foreignFolderError(dataDir: string, what: string): StartError {
  return new StartError(
    `The folder ${join(dataDir, '/')} holds ${what}. Give --data a folder of its own, such as .runledger.`,
  )
}

/** One sentence that names the folder; other errors stay as they are. */
export function describeFolderError(error: unknown, dataDir: string): unknown {
  if (!(error instanceof Error) || error instanceof StartError || !('code' in error)) return error
  if (isDamaged(error))
    return new StartError(
      `The database ${join(dataDir, DATABASE_FILE)} is damaged, or is not an SQLite database: ${error.message}. No file was touched. "runledger restore <backup> --data <new folder>" brings a backup back; without one, "runledger check --data ${dataDir}" says more.`,
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

/** Undefined if they are missing or invalid. */
export async function readCredentials(dataDir: string): Promise<Credentials | undefined> {
  try {
    const text = await readFile(join(dataDir, CREDENTIALS_FILE), 'utf8')
    return CredentialsSchema.safeParse(JSON.parse(text)).data
  } catch (error) {
    if (error instanceof SyntaxError || isMissing(error)) return undefined
    throw error
  }
}

/** Atomic; readable by their owner only. */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  await writeWhole(join(dataDir, CREDENTIALS_FILE), `${JSON.stringify(credentials, null, 2)}\n`, 0o600)
}

/** Atomic. */
export async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, text, { mode, flush: true })
  await rename(temporary, path)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}

export const DATABASE_FILE = 'runledger.db'

/** Identifies the last state of the database in the folder. */
export const MARK_FILE = 'database.mark'
