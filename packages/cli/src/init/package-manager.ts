import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { detect, LOCKS, resolveCommand, type Agent } from 'package-manager-detector'
import { isInside, listFoldersUpward } from '@runledger/core/tools'
import { CommandError } from '../command-error'
import { readManifest } from '../manifest'

export interface PackageCommand {
  dir: string
  packages: readonly string[]
  agent: Agent
  command: string
  args: readonly string[]
}

/** How the project's own package manager adds packages for development, or removes them. */
export async function createPackageCommand(
  use: 'add' | 'uninstall',
  { dir, packages }: { dir: string; packages: readonly string[] },
): Promise<PackageCommand> {
  const { agent } = (await detect({ cwd: dir })) ?? { agent: 'npm' as const }
  const flags = use === 'add' ? [agent === 'npm' ? '--save-dev' : '-D'] : []
  const given = [...flags, ...listRootFlags(agent, dir), ...packages]
  const resolved = resolveCommand(agent, use, given)
  if (!resolved) throw new CommandError(`${agent} is not known to ${use} packages: do it by hand in ${dir}`)
  // The name that READMEs use.
  const args = resolved.args.map((arg, index) => (index === 0 && arg === 'i' ? 'install' : arg))
  return { dir, packages, agent, command: resolved.command, args }
}

/** At the root of a workspace, some want to be told that the root is meant. */
function listRootFlags(agent: Agent, dir: string): string[] {
  if (agent.startsWith('pnpm') && existsSync(path.join(dir, 'pnpm-workspace.yaml'))) return ['-w']
  if (agent === 'yarn' && readManifest(dir)?.workspaces !== undefined) return ['-W']
  return []
}

export function describeCommand({ command, args }: PackageCommand): string {
  return [command, ...args].join(' ')
}

/** Runs it, with what it prints on standard error. @throws CommandError when it fails */
export async function runPackageCommand(call: PackageCommand): Promise<void> {
  const isWindows = process.platform === 'win32'
  const child = spawn(call.command, call.args, {
    cwd: call.dir,
    stdio: ['ignore', 2, 2],
    // Package managers are scripts of the shell there. The arguments are our own.
    shell: isWindows,
  })
  const problem = await new Promise<string | undefined>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `it ended with ${code ?? signal}`))
  })
  if (problem !== undefined)
    throw new CommandError(`\`${describeCommand(call)}\` failed in ${call.dir}: ${problem}`)
}

const WRITTEN = ['package.json', 'pnpm-workspace.yaml', '.pnp.cjs', '.pnp.loader.mjs', '.yarnrc.yml']

/** Files of a project that a package manager may change, existing or not, except installed packages. */
export function listManagedFiles(dir: string, root: string): string[] {
  const folders = listFoldersUpward(dir).filter((each) => isInside(each, root))
  return folders.flatMap((folder) =>
    [...WRITTEN, ...Object.keys(LOCKS)].map((name) => path.join(folder, name)),
  )
}
