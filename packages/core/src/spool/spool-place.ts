import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { devNull, tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import type { Environment } from '../config/options'
import { codeOf, FOLDER_MODE } from '../util/files'
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

/** The folder below which every project of the user's has its spool; absolute paths alone count (XDG Base Directory). */
function findSpoolHome(env: Environment): string {
  const home = env['HOME'] || env['USERPROFILE'] || ''
  const inHome = process.platform === 'darwin' ? 'Library/Application Support' : '.local/state'
  const candidates = [
    env['XDG_STATE_HOME'],
    process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined,
    home && path.join(home, inHome),
  ].flatMap((folder) => (folder && path.isAbsolute(folder) ? path.join(folder, SPOOLS) : []))
  return candidates.find(canBeWritten) ?? findTemporaryHome() ?? candidates[0] ?? path.join(devNull, SPOOLS)
}

/** Among temporary files, where another user may have made a folder of that name first: then undefined. */
function findTemporaryHome(): string | undefined {
  const folder = path.join(tmpdir(), `runledger-${userId()}`)
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE })
    const stats = lstatSync(folder)
    const isOwn =
      process.getuid === undefined || (stats.uid === process.getuid() && (stats.mode & 0o077) === 0)
    return stats.isDirectory() && isOwn ? path.join(folder, SPOOLS) : undefined
  } catch {
    return undefined
  }
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

/** The spools of all of the user's projects that have had one. */
async function listSpoolDirs(env: Environment): Promise<string[]> {
  const home = findSpoolHome(env)
  const names = await readdir(home).catch(() => [])
  return names.sort().map((name) => path.join(home, name))
}

// Without a home that can be written, the folder for temporary files: one for each user.
function userId(): string {
  return String(process.getuid?.() ?? userInfo().username)
}

function resolveLinks(folder: string): string {
  try {
    return realpathSync.native(folder)
  } catch {
    return path.resolve(folder)
  }
}

/** A spool, and the project whose runs it holds. */
export interface FoundSpool {
  spool: SpoolFolder
  /** Where local credentials are looked for, upward. */
  projectRoot: string
}

/**
 * The spools that a folder stands for: itself when it is a spool; else RUNLEDGER_SPOOL_DIR where that is set; else those
 * of the projects in it, and of the project that it is in (frameworks differ in what they call a project's root).
 */
export async function findSpools(dir: string, env: Environment): Promise<FoundSpool[]> {
  const folder = path.resolve(dir)
  const given = new SpoolFolder(folder)
  if ((await given.list()).length > 0) return describe(given, folder)
  const fromEnv = env['RUNLEDGER_SPOOL_DIR']?.trim()
  if (fromEnv) return describe(new SpoolFolder(findSpoolDir(fromEnv, env, folder)), folder)
  const own = findSpoolDir(undefined, env, folder)
  const others = (await listSpoolDirs(env)).filter((spoolDir) => spoolDir !== own)
  const found = await Promise.all(others.map((spoolDir) => describe(new SpoolFolder(spoolDir))))
  return [{ spool: new SpoolFolder(own), projectRoot: folder }, ...found.flat().filter(isRelated(folder))]
}

/** With the project of the first execution that can be read, if that is still there, else the one given; none without both. */
async function describe(spool: SpoolFolder, fallback?: string): Promise<FoundSpool[]> {
  const roots = (await spool.list()).flatMap(({ head }) => head?.projectRoot ?? [])
  const projectRoot = roots.find((root) => existsSync(root)) ?? fallback
  return projectRoot === undefined ? [] : [{ spool, projectRoot }]
}

function isRelated(folder: string): (found: FoundSpool) => boolean {
  return ({ projectRoot }) => isInside(projectRoot, folder) || isInside(folder, projectRoot)
}

export function isInside(inner: string, outer: string): boolean {
  const relative = path.relative(outer, inner)
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)
}
