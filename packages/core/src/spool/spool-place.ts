import { createHash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import type { Environment } from '../config/options'
import { SpoolFolder } from './spool-folder'

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

/** The folder below which every project of the user's has its spool. */
function findSpoolHome(env: Environment): string {
  return path.join(findStateHome(env), 'runledger', 'spool')
}

/** The spools of all of the user's projects that have had one. */
async function listSpoolDirs(env: Environment): Promise<string[]> {
  const home = findSpoolHome(env)
  const names = await readdir(home).catch(() => [])
  return names.sort().map((name) => path.join(home, name))
}

/** The user's folder for what programs keep between executions; absolute paths alone count (XDG Base Directory). */
function findStateHome(env: Environment): string {
  const home = env['HOME'] || env['USERPROFILE'] || ''
  const candidates = [
    env['XDG_STATE_HOME'],
    process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined,
    home &&
      (process.platform === 'darwin'
        ? path.join(home, 'Library/Application Support')
        : path.join(home, '.local/state')),
  ]
  return (
    candidates.find((folder) => folder && path.isAbsolute(folder)) ??
    path.join(tmpdir(), `runledger-${userId()}`)
  )
}

// A service or container without a home: the folder for temporary files, one for each user.
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
  if ((await given.list()).length > 0) return [await describe(given, folder)]
  const fromEnv = env['RUNLEDGER_SPOOL_DIR']?.trim()
  if (fromEnv) return [await describe(new SpoolFolder(findSpoolDir(fromEnv, env, folder)), folder)]
  const own = findSpoolDir(undefined, env, folder)
  const others = (await listSpoolDirs(env)).filter((spoolDir) => spoolDir !== own)
  const found = await Promise.all(others.map(describeOther))
  return [{ spool: new SpoolFolder(own), projectRoot: folder }, ...found.flat().filter(isRelated(folder))]
}

async function describe(spool: SpoolFolder, fallback: string): Promise<FoundSpool> {
  return { spool, projectRoot: (await readProjectRoot(spool)) ?? fallback }
}

async function describeOther(spoolDir: string): Promise<FoundSpool[]> {
  const spool = new SpoolFolder(spoolDir)
  const projectRoot = await readProjectRoot(spool)
  return projectRoot === undefined ? [] : [{ spool, projectRoot }]
}

/** The project of the first execution that can be read, if it is still there. */
async function readProjectRoot(spool: SpoolFolder): Promise<string | undefined> {
  const roots = (await spool.list()).flatMap(({ head }) => head?.projectRoot ?? [])
  return roots.find((root) => existsSync(root))
}

function isRelated(folder: string): (found: FoundSpool) => boolean {
  return ({ projectRoot }) => isInside(projectRoot, folder) || isInside(folder, projectRoot)
}

export function isInside(inner: string, outer: string): boolean {
  const relative = path.relative(outer, inner)
  return relative.split(path.sep)[0] !== '..' && !path.isAbsolute(relative)
}
