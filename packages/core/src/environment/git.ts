import { execFile } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { devNull } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Environment } from '../config/options'
import { listFoldersUpward, resolveLinks } from '../util/files'
import { describeIgnored, explainDistrust } from '../config/trust'

export interface Repository {
  /** The top folder of the working tree; undefined without a trusted one. */
  topDir: string | undefined
  /** Which repository is ignored, and why. */
  ignored: string | undefined
  /** Variables that confine git to this repository. */
  env: Environment
}

/** Restricts what git reads and runs. Variables also apply when a dependency starts git. */
const SETTINGS = {
  'core.fsmonitor': 'false',
  'core.hooksPath': devNull,
  'core.sshCommand': 'false',
  'diff.external': 'false',
  'log.showSignature': 'false',
}

const CLOSED: Environment = {
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_LAZY_FETCH: '1',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_TERMINAL_PROMPT: '0',
  GIT_PAGER: 'cat',
  GIT_COMMON_DIR: undefined,
  GIT_CONFIG_COUNT: String(Object.keys(SETTINGS).length),
  ...Object.fromEntries(
    Object.entries(SETTINGS).flatMap(([name, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, name],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
}

/**
 * Searches upward. Git gets the location: otherwise it accepts a folder with `HEAD`, `objects` and `refs`, and runs its
 * configuration.
 */
export function findRepository(env: Environment, fromDir: string): Repository {
  const topDir = listFoldersUpward(resolveLinks(fromDir)).find((folder) =>
    isRepository(path.join(folder, '.git')),
  )
  const ignored = topDir === undefined ? undefined : findIgnored(topDir, env)
  const isUsed = topDir !== undefined && ignored === undefined
  const place = isUsed
    ? { GIT_DIR: path.join(topDir, '.git'), GIT_WORK_TREE: topDir }
    : { GIT_DIR: devNull, GIT_WORK_TREE: undefined }
  return { topDir: isUsed ? topDir : undefined, ignored, env: { ...env, ...CLOSED, ...place } }
}

/** The configuration decides what git runs. */
function findIgnored(topDir: string, env: Environment): string | undefined {
  const files = [path.join(topDir, '.git'), path.join(topDir, '.git/config')]
  for (const file of files) {
    const problem = existsSync(file) ? explainDistrust(file, env) : undefined
    if (problem !== undefined) return describeIgnored(path.join(topDir, '.git'), problem, topDir)
  }
  return undefined
}

/** A file points to a worktree or submodule; without `HEAD`, git too sees no repository. */
function isRepository(git: string): boolean {
  return existsSync(path.join(git, 'HEAD')) || (existsSync(git) && statSync(git).isFile())
}

const execute = promisify(execFile)

/** Windows prefers a `git.exe` in the current folder to one on the path. */
const SAFE_FOLDER = path.dirname(process.execPath)

/** A repository on a hanging network folder is not waited for. */
export const TIMEOUT_MS = 2_000

/** Runs git and returns its lines: none without git, a repository or time. Never rejects. */
export function openGit({ topDir, env }: Repository, signal = AbortSignal.timeout(TIMEOUT_MS)) {
  return async (...args: string[]): Promise<string[]> => {
    if (topDir === undefined) return []
    try {
      return (await execute('git', args, { cwd: SAFE_FOLDER, env, signal })).stdout.split('\n')
    } catch {
      return []
    }
  }
}
