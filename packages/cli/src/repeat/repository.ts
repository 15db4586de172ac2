import { execFile } from 'node:child_process'
import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { devNull, tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { CommandError } from '../command-error'
import type { CommandContext } from '../command-context'

const OF_REPOSITORY = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_OBJECT_DIRECTORY',
  'GIT_PREFIX',
]

/** Removes the variables with which a git hook names its repository. */
export function withoutRepository(env: CommandContext['env']): CommandContext['env'] {
  return { ...env, ...Object.fromEntries(OF_REPOSITORY.map((name) => [name, undefined])) }
}

const execute = promisify(execFile)
const MAX_OUTPUT = 64 * 1024 * 1024

export interface Repository {
  /** The top folder of the working tree. */
  topDir: string
  /** The folder that all working trees share. */
  gitDir: string
  /** Runs git and returns what it prints. @throws CommandError when it fails */
  git(args: readonly string[], cwd?: string): Promise<string>
}

/** @throws CommandError if the folder is in no repository, or git is not installed */
export async function openRepository(folder: string, env: CommandContext['env']): Promise<Repository> {
  const git = async (args: readonly string[], cwd = folder) => {
    try {
      // Disables hooks, because they are meant for checkouts by people.
      const { stdout } = await execute('git', ['-c', `core.hooksPath=${devNull}`, ...args], {
        cwd,
        env: withoutRepository(env),
        maxBuffer: MAX_OUTPUT,
      })
      return stdout.trimEnd()
    } catch (error) {
      const { stderr = '', message } = error as Error & { stderr?: string }
      const name = args.find((arg) => !arg.startsWith('-'))
      throw new CommandError(`git ${name}: ${stderr.trim() || message}`)
    }
  }
  const [topDir = '', gitDir = ''] = (await git(['rev-parse', '--show-toplevel', '--git-common-dir'])).split(
    '\n',
  )
  return { topDir: path.resolve(folder, topDir), gitDir: path.resolve(folder, gitDir), git }
}

/** Returns the full id of a commit. @throws CommandError if it does not exist */
export async function resolveCommit({ git }: Repository, name: string): Promise<string> {
  const unknown = new CommandError(
    `there is no commit "${name}" in this repository; fetch it, or name another one`,
  )
  // git would read it as an option.
  if (name.startsWith('-')) throw unknown
  return git(['rev-parse', '--verify', '--quiet', `${name}^{commit}`]).catch(() => {
    throw unknown
  })
}

/** Lists commits from `good` to `bad`, both included, oldest first. Follows the first parent of merges. */
export async function listCommits(repository: Repository, good: string, bad: string): Promise<string[]> {
  const listed = await repository.git(['rev-list', '--first-parent', '--reverse', `${good}..${bad}`])
  const commits = listed.split('\n').filter(Boolean)
  const isBefore = await repository.git(['merge-base', '--is-ancestor', good, bad]).then(
    () => true,
    () => false,
  )
  if (!isBefore || commits.length === 0)
    throw new CommandError(`${shorten(good)} does not come before ${shorten(bad)}: name --good and --bad`)
  return [good, ...commits]
}

/** The beginning of a commit's id, for people. */
export function shorten(commit = ''): string {
  return commit.slice(0, 12)
}

/** A second working tree, outside the user's own. */
export interface Worktree {
  dir: string
  checkOut(commit: string): Promise<void>
  remove(): Promise<void>
}

const HOME_PREFIX = 'runledger-bisect-'

export async function addWorktree({ git, topDir }: Repository): Promise<Worktree> {
  const home = await realpath(await mkdtemp(path.join(tmpdir(), HOME_PREFIX)))
  const dir = path.join(home, path.basename(topDir))
  const remove = () => removeWorktree(git, dir)
  try {
    await git(['worktree', 'add', '--quiet', '--detach', '--no-checkout', dir])
    // Names the git folder, because git would search the folders above if the tested code removed `.git`.
    const gitDir = await git(['rev-parse', '--absolute-git-dir'], dir)
    const gitHere = (...args: string[]) => git([`--git-dir=${gitDir}`, `--work-tree=${dir}`, ...args])
    return { dir, checkOut: (commit) => checkOut(gitHere, commit, dir), remove }
  } catch (error) {
    await remove().catch(() => undefined)
    throw error
  }
}

async function checkOut(
  git: (...args: string[]) => Promise<string>,
  commit: string,
  dir: string,
): Promise<void> {
  // A link could lead to the user's files.
  if ((await realpath(dir).catch(() => undefined)) !== dir) throw new CommandError(`the tests removed ${dir}`)
  await git('checkout', '--quiet', '--force', '--detach', commit)
  // Keeps ignored files, because installing dependencies again is slow.
  await git('clean', '--quiet', '-ffd')
}

/** Removes the working tree `dir`, and the folder that `addWorktree` made for it. */
async function removeWorktree(git: Repository['git'], dir: string): Promise<void> {
  // The second --force removes a tree that git locked while adding it.
  const forget = () => git(['worktree', 'remove', '--force', '--force', dir])
  const removeHome = () => rm(path.dirname(dir), { recursive: true, force: true })
  const isForgotten = await forget().then(
    () => true,
    () => false,
  )
  await removeHome()
  // Git refuses to remove a tree without `.git`, but unregisters a tree whose folder is gone.
  if (!isForgotten) await forget()
}

/**
 * Removes working trees of killed searches. Git lists them, and their folders have names that only searches use. Reports trees that it
 * cannot remove. Does not call `git worktree prune`, which would also unregister the user's trees on a disk that is not mounted.
 */
export async function removeLeftWorktrees(
  { git }: Repository,
  report: (line: string) => void,
): Promise<void> {
  const homes = await realpath(tmpdir())
  const lines = (await git(['worktree', 'list', '--porcelain'])).split('\n')
  for (const line of lines) {
    const dir = path.resolve(line.slice('worktree '.length))
    const home = path.dirname(dir)
    const isLeft = path.dirname(home) === homes && path.basename(home).startsWith(HOME_PREFIX)
    if (!line.startsWith('worktree ') || !isLeft) continue
    await removeWorktree(git, dir).catch((error: Error) =>
      report(`${dir} cannot be removed: ${error.message}`),
    )
  }
}
