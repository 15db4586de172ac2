import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import type { Environment } from '../config/options'

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
export function findSpoolHome(env: Environment): string {
  return path.join(findStateHome(env), 'runledger', 'spool')
}

/** The spools of all of the user's projects that have had one. */
export async function listSpoolDirs(env: Environment): Promise<string[]> {
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
