import { constants, copyFileSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter'
import type { AttemptNote } from './attempt-notes'
import { selectAttachments } from './map-attachments'
import { readAttachments } from './read-result'

export type PreserveOutput = FullConfig['preserveOutput']

/**
 * Keeps attached files that would be removed or changed before the execution ends. Under `preserveOutput: 'failures-only'`
 * or `'never'`, a worker removes the files of a passing test right after it has reported the test's end, without waiting
 * for reporters: everything here is synchronous and as early as possible, and may still be too late. A file that cannot be
 * kept is read from its own path.
 */
export class KeptFiles {
  readonly #folders = new Map<string, string>()
  readonly #counts = new WeakMap<TestResult, number>()
  #count = 0

  constructor(private readonly preserveOutput: PreserveOutput) {}

  /** Keeps files while the test runs: only by hard links, since a file may still grow. */
  keepEarly(test: TestCase, result: TestResult, note: AttemptNote): void {
    const outputDir = test.parent.project()?.outputDir
    if (this.preserveOutput === 'always' || outputDir === undefined || !this.#hasGrown(result)) return
    for (const file of listNewFiles(result, note)) {
      if (isInside(file, outputDir)) this.#keep(file, { parent: outputDir, note, methods: [linkSync] })
    }
  }

  /** Keeps files that Playwright is about to remove, and the user's own files, which other tests may overwrite. */
  keepAtEnd(test: TestCase, result: TestResult, note: AttemptNote): void {
    const outputDir = test.parent.project()?.outputDir
    for (const file of listNewFiles(result, note)) {
      if (outputDir === undefined || !isInside(file, outputDir)) {
        this.#keep(file, { parent: tmpdir(), note, methods: [cloneSync] })
      } else if (!this.#isPreserved(test, result)) {
        this.#keep(file, { parent: outputDir, note, methods: [linkSync, cloneSync] })
      }
    }
  }

  /** Removes the kept files after their delivery. */
  remove(): void {
    for (const folder of this.#folders.values()) rmSync(folder, { recursive: true, force: true })
    this.#folders.clear()
  }

  #isPreserved({ expectedStatus }: TestCase, { status }: TestResult): boolean {
    if (this.preserveOutput === 'always') return true
    return this.preserveOutput === 'failures-only' && status !== 'skipped' && status !== expectedStatus
  }

  /** True once for each number of attachments: most steps add none. */
  #hasGrown(result: TestResult): boolean {
    const { length } = readAttachments(result)
    const hasGrown = this.#counts.get(result) !== length
    this.#counts.set(result, length)
    return hasGrown
  }

  #keep(file: string, { parent, note, methods }: KeepSettings): void {
    const folder = isRegularFile(file) ? this.#openFolder(parent) : undefined
    if (folder === undefined) return
    this.#count += 1
    const kept = path.join(folder, `${this.#count}${path.extname(file)}`)
    if (methods.some((keep) => succeeds(() => keep(file, kept)))) note.keptPaths.set(file, kept)
  }

  /** Hard links must stay in the output folder, which Playwright clears when another execution starts. */
  #openFolder(parent: string): string | undefined {
    const known = this.#folders.get(parent)
    if (known !== undefined && existsSync(known)) return known
    const folder = createFolder(path.join(parent, '.runledger-'))
    if (folder !== undefined) this.#folders.set(parent, folder)
    return folder
  }
}

interface KeepSettings {
  /** Folder in which the folder of kept files is created. */
  parent: string
  note: AttemptNote
  /** Ways to keep the file, tried in turn. */
  methods: ((from: string, to: string) => void)[]
}

function listNewFiles(result: TestResult, note: AttemptNote): string[] {
  return selectAttachments(readAttachments(result)).flatMap(({ path: file }) =>
    file === undefined || note.keptPaths.has(file) ? [] : [file],
  )
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file)
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative)
}

function createFolder(prefix: string): string | undefined {
  try {
    return mkdtempSync(prefix)
  } catch {
    return undefined
  }
}

/** Copying a pipe or a device may never end: only regular files are kept. */
function isRegularFile(file: string): boolean {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Copies by reflink where possible. `COPYFILE_EXCL`: ext4 syncs a file that is overwritten. */
function cloneSync(from: string, to: string): void {
  copyFileSync(from, to, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL)
}

function succeeds(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
