import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { runCommand, type CommandResult } from '../support/project'
import { REPOSITORY } from '../support/repository'
import type { Service } from '../support/service'

const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** Writes a test that fails at the rate in `rate.txt`. The draws are reproducible; the file DRAWS counts them. */
const writeTest = (name: string) => `import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
const draw = (text) => createHash('sha256').update(text).digest().readUInt32BE() / 2 ** 32
test(${JSON.stringify(name)}, () => {
  const drawn = readFileSync(process.env.DRAWS, 'utf8').length
  appendFileSync(process.env.DRAWS, '.')
  if (draw(process.env.DRAWS_SEED + '/' + drawn) < Number(readFileSync('rate.txt', 'utf8'))) throw new Error('off by one')
})
`
export const COMMAND = [
  process.execPath,
  '--test',
  '--test-reporter=spec',
  '--test-reporter-destination=stdout',
  '--test-reporter=@runledger/node-test',
  '--test-reporter-destination=stdout',
  'sum.test.js',
]

export interface RepositoryPlan {
  /** The name of the test. */
  name: string
  commits: number
  /** The number of the commit since which the test fails at `rate`. */
  bad: number
  rate: number
  /** The project's folder in the repository. */
  folder?: string
  /** At these commits, the test file cannot be loaded. */
  broken?: readonly number[]
  /** Whether every two commits are on a branch that is merged. */
  merges?: boolean
}

export interface PlantedRepository {
  dir: string
  /** The folder of the project. */
  project: string
  /** The commits of the main line, oldest first. */
  line: string[]
  bad: string
  git(...args: string[]): string
  /** Runs the test in the working tree. */
  execute(): Promise<CommandResult>
  runledger(args: string[], until?: RegExp): Promise<CommandResult>
  /** Starts the command, and calls `act` with its process. Returns its exit code. */
  start(args: string[], act: (pid: number) => Promise<void>): Promise<number | null>
  /** A command that links the dependencies into another working tree. */
  setup: string
  remove(): Promise<void>
}

/** Creates a repository by a plan. `service` records the test of its project. */
export async function plantRepository(plan: RepositoryPlan, service: Service): Promise<PlantedRepository> {
  const home = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-planted-')))
  const dir = path.join(home, 'widget')
  const project = path.join(dir, plan.folder ?? '')
  const modules = path.join(home, 'node_modules')
  await mkdir(path.join(modules, '@runledger'), { recursive: true })
  for (const name of ['core', 'node-test'])
    await symlink(path.join(REPOSITORY, 'packages', name), path.join(modules, '@runledger', name), 'dir')
  await mkdir(project, { recursive: true })
  await writeFile(path.join(home, 'draws'), '')
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: dir,
      env: { PATH: process.env['PATH'] ?? '', HOME: home },
    })
      .toString()
      .trim()
  await commitHistory(plan, project, git)
  const line = git('rev-list', '--first-parent', '--reverse', 'main').split('\n')
  const bad =
    git('rev-list', '--first-parent', '--reverse', 'main', '--', path.join(project, 'rate.txt'))
      .split('\n')
      .at(-1) ?? ''
  const env = {
    DRAWS: path.join(home, 'draws'),
    DRAWS_SEED: JSON.stringify(plan),
    XDG_STATE_HOME: path.join(home, 'state'),
    TMPDIR: path.join(home, 'tmp'),
  }
  await mkdir(env.TMPDIR)
  await symlink(modules, path.join(project, 'node_modules'), 'dir')
  const run = (command: string, args: string[], until?: RegExp) =>
    runCommand(command, args, { dir: project, env, service, until, timeoutMs: 3_000_000 })
  return {
    dir,
    project,
    line,
    bad,
    git,
    execute: () => run(process.execPath, COMMAND.slice(1)),
    runledger: (args, until) => run(process.execPath, [CLI, ...args], until),
    start: async (args, act) => {
      const variables = { RUNLEDGER_URL: service.url, RUNLEDGER_API_KEY: service.apiKey }
      const child = spawn(process.execPath, [CLI, ...args], {
        cwd: project,
        env: { PATH: process.env['PATH'], ...env, ...variables },
        stdio: 'ignore',
      })
      const ended = once(child, 'exit') as Promise<[number | null]>
      await act(child.pid ?? 0)
      return (await ended)[0]
    },
    setup: `ln -sfn ${modules} node_modules`,
    remove: () => rm(home, { recursive: true, force: true }),
  }
}

async function commitHistory(
  { name, commits, bad, rate, broken = [], merges = false }: RepositoryPlan,
  project: string,
  git: (...args: string[]) => string,
): Promise<void> {
  const write = (file: string, text: string) => writeFile(path.join(project, file), text)
  git('init', '--quiet', '--initial-branch', 'main')
  await write('package.json', '{"name": "@acme/widget", "version": "2.1.0", "type": "module"}\n')
  await write('.gitignore', 'node_modules\n')
  for (let number = 0; number <= commits; number++) {
    await write('rate.txt', number >= bad ? String(rate) : '0')
    await write('sum.test.js', broken.includes(number) ? 'this is no module' : writeTest(name))
    await write('number.txt', String(number))
    const isMerged = merges && number > 0
    if (isMerged) git('checkout', '--quiet', '-b', `topic-${number}`)
    git('add', '--all')
    git('commit', '--quiet', '--message', `Change ${number}`)
    if (!isMerged) continue
    git('checkout', '--quiet', 'main')
    git('merge', '--quiet', '--no-ff', '--message', `Merge ${number}`, `topic-${number}`)
  }
}

/** Records executions of the first and the last commit, until one at the last commit fails. */
export async function putOnRecord(repository: PlantedRepository): Promise<void> {
  const { git, execute, line } = repository
  git('checkout', '--quiet', line[0] ?? '')
  for (let i = 0; i < 4; i++) await execute()
  git('checkout', '--quiet', 'main')
  let hasFailed = false
  for (let i = 0; i < 6 || !hasFailed; i++) hasFailed = (await execute()).exitCode !== 0 || hasFailed
}
