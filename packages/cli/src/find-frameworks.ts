import { listFoldersUpward } from '@runledger/core/tools'
import { type Manifest, readManifest, readScripts } from './manifest'
import { findNodeTestCalls, listReporterFlags } from './node-test-command'
import { listTestCalls } from './test-calls/list-calls'
import type { ReportingFramework } from './test-calls/programs'

/** A test framework, and what puts its suites on record. */
export type Framework = ConfigFramework | NodeTestRunner

interface Reported {
  reporter: string
  /** What names the reporter, as READMEs say it. */
  configLine: string
}

/** One whose config names reporters. */
export interface ConfigFramework extends Reported {
  name: ReportingFramework
  packageName: string
  /** Names of its config files without the extension, the one that goes first in front. */
  configNames: readonly string[]
  /** Extensions in the order in which it looks for them. */
  configExtensions: readonly string[]
}

/** Node's own: it is in no package and has no config, its reporters are in the command. */
interface NodeTestRunner extends Reported {
  name: 'node:test'
  packageName?: undefined
}

export const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Jest',
    packageName: 'jest',
    reporter: '@runledger/jest',
    configLine: "reporters: ['default', '@runledger/jest']",
    configNames: ['jest.config'],
    configExtensions: ['js', 'ts', 'mjs', 'cjs', 'mts', 'cts', 'json'],
  },
  {
    name: 'Vitest',
    packageName: 'vitest',
    reporter: '@runledger/vitest',
    configLine: "reporters: ['default', '@runledger/vitest']",
    configNames: ['vitest.config', 'vite.config'],
    configExtensions: ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'],
  },
  {
    name: 'Playwright',
    packageName: '@playwright/test',
    reporter: '@runledger/playwright',
    configLine: "reporter: [['list'], ['@runledger/playwright']]",
    configNames: ['playwright.config'],
    configExtensions: ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'],
  },
  {
    name: 'node:test',
    reporter: '@runledger/node-test',
    configLine: `node --test ${listReporterFlags('@runledger/node-test')}`,
  },
]

/** The frameworks that the nearest package.json names or runs; all of them if it names none. */
export function findFrameworks(folder: string): readonly Framework[] {
  const [nearest = {}] = listFoldersUpward(folder).flatMap((parent) => readManifest(parent) ?? [])
  const found = FRAMEWORKS.filter((each) =>
    each.packageName === undefined ? hasScript(nearest, each) : dependsOn(nearest, each.packageName),
  )
  return found.length === 0 ? FRAMEWORKS : found
}

export function dependsOn({ dependencies, devDependencies }: Manifest, packageName: string): boolean {
  return Object.hasOwn({ ...dependencies, ...devDependencies }, packageName)
}

export function hasScript(manifest: Manifest, { name }: Framework): boolean {
  const scripts = readScripts(manifest)
  if (name === 'node:test')
    return Object.values(scripts).some((script) => findNodeTestCalls(script).length > 0)
  const calls = listTestCalls({ name: manifest.name, dir: '.', scripts })
  return calls.some(({ program }) => program.framework === name)
}
