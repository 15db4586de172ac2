import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { listFoldersUpward } from '@runledger/core/tools'
import { globSync } from 'tinyglobby'
import { parse } from 'yaml'
import { CommandError } from '../command-error'
import { type Manifest, readManifest } from '../manifest'
import { refuseDistrusted } from '../refuse-distrusted'
import type { CommandContext } from '../command-context'

/** A folder with a package.json. */
export interface PackageFolder {
  dir: string
  manifest: Manifest
}

/** The package that a folder belongs to. @throws CommandError when there is none */
export function findPackage(folder: string): PackageFolder {
  const dir = listFoldersUpward(folder).find((each) => existsSync(path.join(each, 'package.json')))
  if (dir === undefined)
    throw new CommandError(`there is no package.json in ${folder}, nor above it: run this in your project`)
  return readPackage(dir)
}

/** The same for a command that changes it. @throws CommandError for one above the folder that another user may have put there */
export function findOwnPackage(folder: string, env: CommandContext['env']): PackageFolder {
  const found = findPackage(folder)
  if (found.dir !== path.resolve(folder)) refuseDistrusted(path.join(found.dir, 'package.json'), env)
  return found
}

function readPackage(dir: string): PackageFolder {
  const manifest = readManifest(dir)
  if (manifest === undefined)
    throw new CommandError(`${path.join(dir, 'package.json')} cannot be read or is not JSON: fix it first`)
  return { dir, manifest }
}

/** The packages of a workspace (npm's, Yarn's and pnpm's), without the root. */
export function listWorkspacePackages({ dir, manifest }: PackageFolder): PackageFolder[] {
  const patterns = [...readPatterns(manifest.workspaces), ...readPnpmPatterns(dir)]
  if (patterns.length === 0) return []
  const files = globSync(
    patterns.map((pattern) => `${pattern.replace(/\/+$/, '')}/package.json`),
    { cwd: dir, ignore: ['**/node_modules/**'], expandDirectories: false },
  )
  return files
    .map((file) => path.dirname(path.resolve(dir, file)))
    .filter((each) => each !== dir)
    .toSorted()
    .map(readPackage)
}

function readPatterns(workspaces: unknown): string[] {
  const list = Array.isArray(workspaces)
    ? (workspaces as unknown[])
    : (workspaces as { packages?: unknown } | undefined)?.packages
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : []
}

function readPnpmPatterns(dir: string): string[] {
  const file = path.join(dir, 'pnpm-workspace.yaml')
  if (!existsSync(file)) return []
  try {
    return readPatterns((parse(readFileSync(file, 'utf8')) as { packages?: unknown } | null)?.packages)
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}`)
  }
}
