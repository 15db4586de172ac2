import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import versions from './framework-versions.json' with { type: 'json' }
import { findChromium } from './chromium.mjs'
import { REPOSITORY } from './repository'
import type { Service } from './service'

const GRACE_MS = 3_000

export type Framework = keyof typeof versions

interface Release {
  packages: Record<string, string | undefined>
  /** Major version of the Node that this release needs, when it cannot run on the oldest we support. */
  node?: string
}

const RELEASES: Record<Framework, Record<string, Release>> = versions

/** Versions of a framework that the tests run, oldest first. */
export function listVersions(framework: Framework): string[] {
  return Object.keys(RELEASES[framework])
}

/** The newest version that runs on the Node of these tests. */
export function newestVersion(framework: Framework): string {
  return listVersions(framework).findLast((version) => neededNode(framework, version) === undefined) as string
}

/** Major version of the Node that a release needs, when it cannot run on the oldest we support. */
export function neededNode(framework: Framework, version: string): string | undefined {
  return RELEASES[framework][version]?.node
}

export interface CommandResult {
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface RunOptions {
  args?: string[]
  /** Added to an environment that holds no `RUNLEDGER_*`, no CI and no git variable. */
  env?: Record<string, string | undefined>
  /** Where results go; without it the reporter finds nothing to send to. */
  service?: Service | undefined
  timeoutMs?: number
  /**
   * Ends the command with SIGTERM once its output matches, for commands that never end by themselves; a moment later, so
   * that a reporter that has something to send can send it.
   */
  until?: RegExp | undefined
  /** Kills the command, and what it has started, with SIGKILL. */
  kill?: AbortSignal | undefined
  /** The node binary; by default one that the framework version supports. */
  node?: string
}

/** A user's project in a temporary folder, with one framework version and our built packages in its node_modules. */
export interface Project {
  dir: string
  /** Runs the framework's own command: `jest`, `vitest run` or `playwright test`. */
  run(options?: RunOptions): Promise<CommandResult>
  remove(): Promise<void>
}

/**
 * Playwright compiles what is not in node_modules, and so our packages, which are linked there: a second of each
 * execution, unless all of them keep the result in one place. Older ones read what others are still writing.
 */
export const COMPILED = path.join(REPOSITORY, '.cache/playwright-compiled')

const COMMANDS: Record<Framework, { bin: string; args: string[] }> = {
  jest: { bin: 'jest/bin/jest.js', args: [] },
  vitest: { bin: 'vitest/vitest.mjs', args: ['run'] },
  playwright: { bin: '@playwright/test/cli.js', args: ['test'] },
}

/** Writes the files, given by relative path, into a fresh project. A package.json is added unless one is given. */
export async function createProject(options: {
  framework: Framework
  version: string
  files: Record<string, string | Uint8Array>
}): Promise<Project> {
  const { framework, version } = options
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-project-')))
  // A home for spools that another user could have made is not used.
  await mkdir(`${dir}.state`, { mode: 0o700 })
  const files = { 'package.json': '{"name": "@acme/widget", "version": "2.1.0"}\n', ...options.files }
  for (const [name, content] of Object.entries(files)) await writeInto(dir, name, content)
  await linkInstalled(
    dir,
    path.join(REPOSITORY, '.cache/frameworks', `${framework}-${version}`, 'node_modules'),
  )
  const { bin, args } = COMMANDS[framework]
  return {
    dir,
    run: (run = {}) =>
      runCommand(
        run.node ?? findNode(framework, version),
        [path.join(dir, 'node_modules', bin), ...args, ...(run.args ?? [])],
        {
          ...run,
          dir,
          env: {
            XDG_STATE_HOME: `${dir}.state`,
            ...(version === newestVersion('playwright') && { PWTEST_CACHE_DIR: COMPILED }),
            ...run.env,
          },
        },
      ),
    remove: async () => {
      for (const folder of [dir, `${dir}.state`]) await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Links the installed packages as a whole, or one by one where the project has packages of its own. */
async function linkInstalled(dir: string, installed: string): Promise<void> {
  const target = path.join(dir, 'node_modules')
  if (!existsSync(target)) return symlink(installed, target, 'dir')
  for (const name of await readdir(installed)) {
    await symlink(path.join(installed, name), path.join(target, name))
  }
}

async function writeInto(dir: string, name: string, content: string | Uint8Array): Promise<void> {
  const file = path.join(dir, name)
  await mkdir(path.dirname(file), { recursive: true })
  await writeFile(file, content)
}

export function findNode(framework: Framework, version: string): string {
  const node = neededNode(framework, version)
  if (node === undefined) return process.execPath
  return path.join(
    REPOSITORY,
    '.cache/node',
    node,
    'node_modules',
    `node-${process.platform}-${process.arch}`,
    'bin/node',
  )
}

/**
 * Runs a command to its end.
 * @throws when it does not end in time, after which it is killed: no command of a test does, however slow the machine is.
 */
export async function runCommand(
  command: string,
  args: string[],
  { dir, env, service, until, kill, timeoutMs = 300_000 }: RunOptions & { dir: string },
): Promise<CommandResult> {
  const child = spawn(command, args, {
    cwd: dir,
    env: {
      ...cleanEnvironment(),
      XDG_STATE_HOME: path.join(os.tmpdir(), `runledger-state-${process.pid}`),
      ...serviceVariables(service),
      CHROMIUM_PATH: findChromium(),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: what a command leaves behind ends with it (a worker of Vitest 3 outlives a killed parent).
    detached: true,
  })
  if (child.pid !== undefined) COMMAND_GROUPS.add(child.pid)
  const output = { stdout: '', stderr: '' }
  let ending: NodeJS.Timeout | undefined
  const collect = (stream: 'stdout' | 'stderr') => (chunk: Buffer) => {
    output[stream] += chunk.toString()
    if (until?.test(output[stream])) ending ??= setTimeout(() => child.kill('SIGTERM'), GRACE_MS)
  }
  child.stdout.on('data', collect('stdout'))
  child.stderr.on('data', collect('stderr'))
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    killGroup(child.pid)
  }, timeoutMs)
  kill?.addEventListener('abort', () => killGroup(child.pid), { once: true })
  const [exitCode, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, by) => resolve([code, by]))
  })
  clearTimeout(timer)
  clearTimeout(ending)
  killGroup(child.pid)
  if (isLate)
    throw new Error(`not over after ${timeoutMs} ms: ${args.join(' ')}\n${output.stdout}${output.stderr}`)
  return { exitCode, signal, ...output }
}

const COMMAND_GROUPS = new Set<number>()

process.once('exit', () => {
  for (const pid of COMMAND_GROUPS) killGroup(pid)
})

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return
  COMMAND_GROUPS.delete(pid)
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nothing of it is left.
  }
}

function serviceVariables(service: Service | undefined): Record<string, string> {
  if (!service) return {}
  return {
    RUNLEDGER_URL: service.url,
    RUNLEDGER_API_KEY: service.apiKey,
    RUNLEDGER_PROCEDURE_ID: service.procedureId,
  }
}

const PRIVATE_VARIABLE =
  /^(RUNLEDGER_|CI$|GITHUB_|GITLAB_|GIT_|VITEST|JEST_|NODE_OPTIONS|NODE_ENV|TEST$|PROD$|DEV$|MODE$)/

function cleanEnvironment(): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !PRIVATE_VARIABLE.test(name)))
}
