import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { formatDefaultSerialNumber, MAX_NUMBER_LENGTH, shortenText } from '@runledger/protocol'
import type { UnitUnderTestOption } from '../config/options'
import { listFoldersUpward } from '../util/files'

export interface PackageFacts {
  /** The package's name, or the project folder's without one. */
  name: string
  version?: string | undefined
  isUnnamed?: boolean | undefined
}

interface FoundPackage {
  facts: PackageFacts
  folder: string
}

/** In a monorepo, several packages lie below one project root. */
export class PackageFinder {
  readonly #found = new Map<string, FoundPackage | undefined>()

  constructor(private readonly rootDir: string) {}

  /** Name and version from the nearest package.json with a name; the project root's if the files belong to several or none. */
  findOf(files: readonly string[]): PackageFacts {
    const [first, ...others] = files.map((file) => this.#findFrom(path.dirname(file)))
    if (first && others.every((other) => other?.folder === first.folder)) return first.facts
    const name = path.basename(path.resolve(this.rootDir)) || 'project'
    return this.#findFrom('.')?.facts ?? { name, isUnnamed: true }
  }

  #findFrom(folder: string): FoundPackage | undefined {
    if (!this.#found.has(folder)) this.#found.set(folder, findUpward(path.resolve(this.rootDir, folder)))
    return this.#found.get(folder)
  }
}

function findUpward(from: string): FoundPackage | undefined {
  for (const folder of listFoldersUpward(from)) {
    const facts = readPackageFile(path.join(folder, 'package.json'))
    if (facts) return { facts, folder }
  }
  return undefined
}

function readPackageFile(file: string): PackageFacts | undefined {
  try {
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version?: unknown }
    if (typeof name !== 'string' || name.trim() === '') return undefined
    return { name, version: typeof version === 'string' && version.trim() !== '' ? version : undefined }
  } catch {
    return undefined
  }
}

const SHORT_COMMIT_LENGTH = 7

// The contract's default revision. A missing one would be rejected once another run of the package had a version
// (docs/interface.md#units-and-parts).
const DEFAULT_REVISION = 'A'

/** The software as the unit under test (packages/core/README.md#how-a-suite-is-recorded). */
export function deriveDefaultUnit(facts: PackageFacts, commit: string | undefined): UnitUnderTestOption {
  const build = commit ? commit.slice(0, SHORT_COMMIT_LENGTH) : hostname()
  return {
    serialNumber: shortenText(formatDefaultSerialNumber(facts.name, build), MAX_NUMBER_LENGTH),
    partNumber: shortenText(facts.name, MAX_NUMBER_LENGTH),
    revision: shortenText(facts.version ?? DEFAULT_REVISION, MAX_NUMBER_LENGTH),
  }
}
