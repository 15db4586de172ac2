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
 * Where a project's runs wait: the option's folder, else one of the user's and the project's. That one lies outside the
 * project, so that no `git clean`, fresh checkout or published CI cache takes or spreads it.
 */
export function findSpoolDir(spoolDir: string | undefined, env: Environment, rootDir: string): string {
  if (spoolDir !== undefined) return path.resolve(rootDir, spoolDir)
  const root = resolveLinks(rootDir)
  const hash = createHash('sha256').update(root).digest('hex').slice(0, 16)
  const name = path
    .basename(root)
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, 40)
  return path.join(findSpoolHome(env), `${name || 'project'}-${hash}`)
}

/** The folder below which every project of the user's has its spool: the first that can be written. */
function findSpoolHome(env: Environment): string {
  const homes = listTrustedHomes(env)
  return homes.find(canBeWritten) ?? findTemporaryHome() ?? homes[0] ?? path.join(devNull, SPOOLS)
}

/** Where a home may be; absolute paths alone count (XDG Base Directory). */
function listHomes(env: Environment): string[] {
  const home = env['HOME'] || env['USERPROFILE'] || ''
  const inHome = process.platform === 'darwin' ? 'Library/Application Support' : '.local/state'
  return [
    env['XDG_STATE_HOME'],
    process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined,
    home && path.join(home, inHome),
  ].flatMap((folder) => (folder && path.isAbsolute(folder) ? path.join(folder, SPOOLS) : []))
}

/** Among temporary files, without a home that can be written: one for each user. */
function temporaryFolder(): string {
  return path.join(tmpdir(), `runledger-${process.getuid?.() ?? userInfo().username}`)
}

function listTrustedHomes(env: Environment): string[] {
  return listHomes(env).filter((home) => explainHome(home, env) === undefined)
}

/** Users that may write to the nearest existing folder decide the content of the home. */
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

/** Undefined where somebody else may have made a folder of that name first, or none can be made. */
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

/** A folder that is not there can be written if its parent can. */
function canBeWritten(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch (error) {
    const parent = path.dirname(folder)
    return codeOf(error) === 'ENOENT' && parent !== folder && canBeWritten(parent)
  }
}

/** The spools of all of the user's projects that have had one, also in a home that cannot be written any more, or can again. */
async function listSpoolDirs(env: Environment): Promise<string[]> {
  const temporary = isPrivate(temporaryFolder()) ? [path.join(temporaryFolder(), SPOOLS)] : []
  const homes = [...listTrustedHomes(env), ...temporary]
  const found = homes.map(async (home) =>
    (await readdir(home).catch(() => [])).map((name) => path.join(home, name)),
  )
  return (await Promise.all(found)).flat().sort()
}

/** A spool, and the project whose runs it holds. */
export interface FoundSpool {
  spool: SpoolFolder
  /** Where local credentials are looked for, upward. */
  projectRoot: string
  /** It was named, and others may have filled it: its logs are not believed about this machine. */
  isForeign?: boolean | undefined
}

/**
 * The spools that a folder stands for: itself when it is a spool; else RUNLEDGER_SPOOL_DIR where that is set; else those
 * of the projects in it, and of the project that it is in (frameworks differ in what they call a project's root). `cwd` is
 * where credentials for a spool folder are looked for.
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
  // Credentials may lie beside the logs of who planted both.
  const projectRoot = isInside(cwd, spool.dir) ? path.dirname(spool.dir) : cwd
  return [{ spool, projectRoot, isForeign: true }]
}

/** With the project of the first execution that can be read, if that is still there, else the one given; none without both. */
async function describe(spool: SpoolFolder, fallback?: string): Promise<FoundSpool[]> {
  const projectRoot = (await listRoots(spool)).find((root) => existsSync(root)) ?? fallback
  return projectRoot === undefined ? [] : [{ spool, projectRoot }]
}

/** The projects that the logs name. */
async function listRoots(spool: SpoolFolder): Promise<string[]> {
  return (await spool.list()).flatMap(({ head }) => head?.projectRoot ?? [])
}

function isRelated(folder: string): (found: FoundSpool) => boolean {
  return ({ projectRoot }) => isInside(projectRoot, folder) || isInside(folder, projectRoot)
}
