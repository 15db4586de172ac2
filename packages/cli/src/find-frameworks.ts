import { listFoldersUpward } from '@runledger/core/tools'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A test framework, and what puts its suites on record. */
export interface Framework {
  name: 'Jest' | 'Vitest' | 'Playwright'
  packageName: string
  reporter: string
  configLine: string
  /** Names of its config files without the extension, the one that goes first in front. */
  configNames: readonly string[]
  /** Extensions in the order in which it looks for them. */
  configExtensions: readonly string[]
  /** What its command looks like in a script of package.json. */
  command: RegExp
}

export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Jest',
    packageName: 'jest',
    reporter: '@runledger/jest',
    configLine: "reporters: ['default', '@runledger/jest']",
    configNames: ['jest.config'],
    configExtensions: ['js', 'ts', 'mjs', 'cjs', 'mts', 'cts', 'json'],
    command: /(?:^|[\s/'"])jest(?:\s|$)/,
  },
  {
    name: 'Vitest',
    packageName: 'vitest',
    reporter: '@runledger/vitest',
    configLine: "reporters: ['default', '@runledger/vitest']",
    configNames: ['vitest.config', 'vite.config'],
    configExtensions: ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'],
    command: /(?:^|[\s/'"])vitest(?:\s|$)/,
  },
  {
    name: 'Playwright',
    packageName: '@playwright/test',
    reporter: '@runledger/playwright',
    configLine: "reporter: [['list'], ['@runledger/playwright']]",
    configNames: ['playwright.config'],
    configExtensions: ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'],
    command: /(?:^|[\s/'"])playwright\s+test(?:\s|$)/,
  },
]

/** Those that the nearest package.json names; all of them where it names none. */
export function findFrameworks(folder: string): readonly Framework[] {
  const [nearest = {}] = listFoldersUpward(folder).flatMap((parent) => readManifest(parent) ?? [])
  const found = FRAMEWORKS.filter(({ packageName }) => dependsOn(nearest, packageName))
  return found.length === 0 ? FRAMEWORKS : found
}

/** Whether a package.json names a package that is installed for it. */
export function dependsOn({ dependencies, devDependencies }: Manifest, packageName: string): boolean {
  return Object.hasOwn({ ...dependencies, ...devDependencies }, packageName)
}

export interface Manifest {
  name?: string
  type?: string
  dependencies?: object
  devDependencies?: object
  scripts?: object
  workspaces?: unknown
  jest?: unknown
}

/** Undefined where there is none that can be read. */
export function readManifest(folder: string): Manifest | undefined {
  try {
    return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) ?? undefined) as Manifest
  } catch {
    return undefined
  }
}
