import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addWorktree, openRepository, removeLeftWorktrees, type Repository } from './repository'

let folder: string
let outer: string
let temporary: string
let repository: Repository
let reported: string[]

const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: folder },
    encoding: 'utf8',
  }).trim()

/** Creates a repository in which `number.txt` has the number of the commit. */
async function createRepository(name: string): Promise<string> {
  const dir = path.join(folder, name)
  await mkdir(dir)
  git(dir, 'init', '--quiet')
  for (const number of ['1', '2']) {
    await writeFile(path.join(dir, 'number.txt'), number)
    git(dir, 'add', '--all')
    git(dir, 'commit', '--quiet', '--message', number)
  }
  return dir
}

// Puts the folder for temporary files into another repository.
beforeEach(async () => {
  folder = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-repository-')))
  outer = await createRepository('outer')
  temporary = path.join(outer, 'tmp')
  await mkdir(temporary)
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, temporary)
  repository = await openRepository(await createRepository('widget'), { PATH: process.env['PATH'] })
  reported = []
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(folder, { recursive: true, force: true })
})

const removeLeft = () => removeLeftWorktrees(repository, (line) => reported.push(line))

async function expectNothingLeft(): Promise<void> {
  expect(git(repository.topDir, 'worktree', 'list').split('\n')).toHaveLength(1)
  expect(await readdir(temporary)).toEqual([])
}

async function writeOuterWork(): Promise<void> {
  await writeFile(path.join(outer, 'number.txt'), 'not committed')
  await writeFile(path.join(outer, 'new.txt'), 'not added')
}

async function expectOuterWork(): Promise<void> {
  expect(await readFile(path.join(outer, 'number.txt'), 'utf8')).toBe('not committed')
  expect(await readFile(path.join(outer, 'new.txt'), 'utf8')).toBe('not added')
}

it('checks out in its own tree, not in a repository around it, after the tests removed .git', async () => {
  await writeOuterWork()
  // The outer repository has the same commits, so git could check them out there.
  git(outer, 'fetch', '--quiet', repository.topDir, 'HEAD')
  const tree = await addWorktree(repository)
  await tree.checkOut('HEAD')
  await rm(path.join(tree.dir, '.git'))
  await writeFile(path.join(tree.dir, 'left.txt'), '')
  await tree.checkOut(git(repository.topDir, 'rev-parse', 'HEAD~1'))
  expect(await readdir(tree.dir)).toEqual(['number.txt'])
  expect(await readFile(path.join(tree.dir, 'number.txt'), 'utf8')).toBe('1')
  await expectOuterWork()
  await tree.remove()
  await expectNothingLeft()
})

it('names the command of git that failed', async () => {
  const tree = await addWorktree(repository)
  await expect(tree.checkOut('no-such-commit')).rejects.toThrow(/^git checkout: /)
})

it('does not check out through a link that the tests left in place of the tree', async () => {
  await writeOuterWork()
  const tree = await addWorktree(repository)
  await rm(tree.dir, { recursive: true })
  await symlink(outer, tree.dir, 'dir')
  await expect(tree.checkOut('HEAD~1')).rejects.toThrow(`the tests removed ${tree.dir}`)
  await tree.remove()
  await expectOuterWork()
  await expectNothingLeft()
})

it.each([
  ['without .git', (dir: string) => rm(path.join(dir, '.git'))],
  ['that is gone', (dir: string) => rm(path.dirname(dir), { recursive: true })],
  ['that is locked', (dir: string) => Promise.resolve(void git(repository.topDir, 'worktree', 'lock', dir))],
])('removes a left tree %s', async (_what, damage) => {
  const { dir } = await addWorktree(repository)
  await writeFile(path.join(dir, 'left.txt'), '')
  await damage(dir)
  await removeLeft()
  expect(reported).toEqual([])
  await expectNothingLeft()
})

it('reports a left tree that cannot be removed, and leaves the trees of others', async () => {
  const { dir } = await addWorktree(repository)
  const own = path.join(temporary, 'own/widget')
  git(repository.topDir, 'worktree', 'add', '--quiet', '--detach', own)
  const failing: Repository = {
    ...repository,
    git: (args, cwd) =>
      args[1] === 'remove' ? Promise.reject(new Error('no space')) : repository.git(args, cwd),
  }
  await removeLeftWorktrees(failing, (line) => reported.push(line))
  expect(reported).toEqual([`${dir} cannot be removed: no space`])
  expect(existsSync(path.join(own, 'number.txt'))).toBe(true)
})
