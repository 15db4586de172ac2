import { listFoldersUpward } from '@runledger/core/tools'
import { readFileSync } from 'node:fs'
import path from 'node:path'

/** A test framework, and what puts its suites on record. */
export interface Framework {
  name: string
  packageName: string
  reporter: string
  configLine: string
}

const FRAMEWORKS: readonly Framework[] = [
  {
    name: 'Jest',
    packageName: 'jest',
    reporter: '@runledger/jest',
    configLine: "reporters: ['default', '@runledger/jest']",
  },
  {
    name: 'Vitest',
    packageName: 'vitest',
    reporter: '@runledger/vitest',
    configLine: "reporters: ['default', '@runledger/vitest']",
  },
  {
    name: 'Playwright',
    packageName: '@playwright/test',
    reporter: '@runledger/playwright',
    configLine: "reporter: [['list'], ['@runledger/playwright']]",
  },
]

/** Those that the nearest package.json names; all of them where it names none. */
export function findFrameworks(folder: string): readonly Framework[] {
  const [nearest = {}] = listFoldersUpward(folder).flatMap((parent) => readManifest(parent) ?? [])
  const names = { ...nearest.dependencies, ...nearest.devDependencies }
  const found = FRAMEWORKS.filter(({ packageName }) => Object.hasOwn(names, packageName))
  return found.length === 0 ? FRAMEWORKS : found
}

interface Manifest {
  dependencies?: object
  devDependencies?: object
}

/** Undefined where there is none that can be read. */
function readManifest(folder: string): Manifest | undefined {
  try {
    return (JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) ?? undefined) as Manifest
  } catch {
    return undefined
  }
}
