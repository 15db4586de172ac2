import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, mkdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { devNull, tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import type { Environment } from '../config/options'
import { describeIgnored, explainDistrust } from '../config/trust'
import { codeOf, FOLDER_MODE, isInside, listFoldersUpward, resolveLinks } from '../util/files'
import { SpoolFolder } from './spool-folder'

const SPOOLS = 'runledger/spool'

/**
 * The option's folder, else one for the user and project, outside of the project: `git clean`, a fresh checkout or a
 * published CI cache must not take or spread it.
 */
export function findSpoolDir(spoolDir: string | undefined, env: Environment, rootDir: string): string {
  if (spoolDir !== undefined) return path.resolve(rootDir, spoolDir)
  return path.join(findSpoolHome(env), nameProject(rootDir))
}

/** The project's folder for lists of quarantined tests, beside the spools. */
export function findListsFolder(env: Environment, rootDir: string): string {
  return path.join(findSpoolHome(env), '../quarantine', nameProject(rootDir))
}

function nameProject(rootDir: string): string {
  const root = resolveLinks(rootDir)
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 16)
  const name = path
    .basename(root)
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 40)
  return `${name || 'project'}-${hash}`
}

/** The first home that can be written. */
function findSpoolHome(env: Environment): string {
  const homes = listTrustedHomes(env)
  return homes.find(canBeWritten) ?? findTemporaryHome() ?? homes[0] ?? path.join(devNull, SPOOLS)
}

/** Only absolute paths count (XDG Base Directory). */
function listHomes(env: Environment): string[] {
  const home = env['HOME'] || env['USERPROFILE'] || ''
  const inHome = process.platform === 'darwin' ? 'Library/Application Support' : '.local/state'
  return [
    env['XDG_STATE_HOME'],
    process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined,
    home && path.join(home, inHome),
  ].flatMap((folder) => (folder && path.isAbsolute(folder) ? path.join(folder, SPOOLS) : []))
}

/** A temporary folder for each user, if no home can be written. */
function temporaryFolder(): string {
  return path.join(tmpdir(), `runledger-${process.getuid?.() ?? userInfo().username}`)
}

function listTrustedHomes(env: Environment): string[] {
  return listHomes(env).filter((home) => explainHome(home, env) === undefined)
}

/** Users with write access to the nearest existing folder control the home's content. */
function explainHome(home: string, env: Environment): string | undefined {
  const nearest = listFoldersUpward(home).find((folder) => existsSync(folder))
  return nearest === undefined ? undefined : explainDistrust(nearest, env)
}

/** A sentence for each home that another user may have filled; its spools are ignored. */
export function describeIgnoredHomes(env: Environment): string[] {
  return listHomes(env).flatMap((home) => {
    const problem = existsSync(home) ? explainHome(home, env) : undefined
    return problem === undefined ? [] : [describeIgnored(home, problem, home)]
  })
}

/** Undefined if another user may have made the folder first, or it cannot be made. */
function findTemporaryHome(): string | undefined {
  const folder = temporaryFolder()
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
  } catch {
    return undefined
  }
  return isPrivate(folder) ? path.join(folder, SPOOLS) : undefined
}

function isPrivate(folder: string): boolean {
  const stats = lstatSync(folder, { throwIfNoEntry: false })
  if (!stats?.isDirectory()) return false
  return process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0)
}

/** A missing folder can be written if its parent can. */
function canBeWritten(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    const parent = path.dirname(folder)
    return codeOf(error) === 'ENOENT' && parent !== folder && canBeWritten(parent)
  }
}

/** The spools of all the user's projects, in every home. */
async function listSpoolDirs(env: Environment): Promise<string[]> {
  const temporary = isPrivate(temporaryFolder()) ? [path.join(temporaryFolder(), SPOOLS)] : []
  const homes = [...listTrustedHomes(env), ...temporary]
  const found = homes.map(async (home) =>
    (await readdir(home).catch(() => [])).map((name) => path.join(home, name)),
  )
  return (await Promise.all(found)).flat().sort()
}

export interface FoundSpool {
  spool: SpoolFolder
  /** Credentials are searched for from this folder upward. */
  projectRoot: string
  /** Others may have filled it: its logs are not trusted about this machine. */
  isForeign?: boolean | undefined
}

/**
 * A spool stands for itself; else RUNLEDGER_SPOOL_DIR counts, else the spools of the projects in the folder and around
 * it. Credentials for a spool folder are searched for in `cwd`.
 */
export async function findSpools(dir: string, env: Environment, cwd = dir): Promise<FoundSpool[]> {
  const folder = path.resolve(dir)
  const given = new SpoolFolder(folder)
  if ((await given.list()).length > 0) return describeGiven(given, { env, cwd: path.resolve(cwd) })
  const fromEnv = env['RUNLEDGER_SPOOL_DIR']?.trim()
  if (fromEnv) {
    const spool = new SpoolFolder(findSpoolDir(fromEnv, env, folder))
    const projectRoot = (await listRoots(spool)).find((root) => isInside(folder, root)) ?? folder
    return [{ spool, projectRoot, isForeign: true }]
  }
  const own = findSpoolDir(undefined, env, folder)
  const others = (await listSpoolDirs(env)).filter((spoolDir) => spoolDir !== own)
  const found = await Promise.all(others.map((spoolDir) => describe(new SpoolFolder(spoolDir))))
  return [{ spool: new SpoolFolder(own), projectRoot: folder }, ...found.flat().filter(isRelated(folder))]
}

async function describeGiven(
  spool: SpoolFolder,
  { env, cwd }: { env: Environment; cwd: string },
): Promise<FoundSpool[]> {
  const homes = [...listTrustedHomes(env), path.join(temporaryFolder(), SPOOLS)]
  if (homes.some((home) => isInside(spool.dir, home))) return describe(spool, spool.dir)
  // Whoever planted the logs may have planted credentials beside them.
  const projectRoot = isInside(cwd, spool.dir) ? path.dirname(spool.dir) : cwd
  return [{ spool, projectRoot, isForeign: true }]
}

/** The project of the first readable execution if it exists, else the given one. */
async function describe(spool: SpoolFolder, fallback?: string): Promise<FoundSpool[]> {
  const projectRoot = (await listRoots(spool)).find((root) => existsSync(root)) ?? fallback
  return projectRoot === undefined ? [] : [{ spool, projectRoot }]
}

async function listRoots(spool: SpoolFolder): Promise<string[]> {
  return (await spool.list()).flatMap(({ head }) => head?.projectRoot ?? [])
}

function isRelated(folder: string): (found: FoundSpool) => boolean {
  return ({ projectRoot }) => isInside(projectRoot, folder) || isInside(folder, projectRoot)
}
