import { readFileSync } from 'node:fs'
import path from 'node:path'
import { listFoldersUpward } from '../config/credentials'

export interface PackageFacts {
  /** The package's name, or the project folder's when no package.json names one. */
  name: string
  version?: string | undefined
  /** No package.json has a name. */
  isUnnamed?: boolean | undefined
}

interface FoundPackage {
  facts: PackageFacts
  /** Where its package.json lies. */
  folder: string
}

/** Finds the packages that test files belong to; in a monorepo there are several below one project root. */
export class PackageFinder {
  /** By folder, from the project root. */
  readonly #found = new Map<string, FoundPackage | undefined>()
  /** What package.json says in a folder, by its whole path. */
  readonly #read = new Map<string, PackageFacts | undefined>()
  readonly #unnamed: PackageFacts

  constructor(private readonly rootDir: string) {
    this.#unnamed = { name: path.basename(path.resolve(rootDir)) || 'project', isUnnamed: true }
  }

  /**
   * Name and version from the nearest package.json with a name, upward from the files (relative to the project root);
   * the project root's when they belong to several packages, to none, or are none themselves. The same object each time
   * that it is the same package.
   */
  findOf(files: readonly string[]): PackageFacts {
    const [first, ...others] = files.map((file) => this.#findFrom(path.dirname(file)))
    if (first && others.every((other) => other?.folder === first.folder)) return first.facts
    return this.#findFrom('.')?.facts ?? this.#unnamed
  }

  #findFrom(folder: string): FoundPackage | undefined {
    if (!this.#found.has(folder))
      this.#found.set(folder, this.#findUpward(path.resolve(this.rootDir, folder)))
    return this.#found.get(folder)
  }

  #findUpward(from: string): FoundPackage | undefined {
    for (const folder of listFoldersUpward(from)) {
      if (!this.#read.has(folder)) this.#read.set(folder, readPackageFile(path.join(folder, 'package.json')))
      const facts = this.#read.get(folder)
      if (facts) return { facts, folder }
    }
    return undefined
  }
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
