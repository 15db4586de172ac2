import { constants, copyFileSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter'
import type { AttemptNote } from './attempt-notes'
import { selectAttachments } from './map-attachments'

export type PreserveOutput = FullConfig['preserveOutput']

/**
 * Keeps attached files that would be gone or changed when the execution ends. A worker removes what a passing test
 * wrote under `preserveOutput: 'failures-only'` or `'never'` right after it has told the test's end, without waiting
 * for reporters: so everything here is synchronous and as early as can be, and yet may come too late. A file that
 * cannot be kept is left to its own path.
 */
export class KeptFiles {
  readonly #folders = new Map<string, string>()
  readonly #counts = new WeakMap<TestResult, number>()
  #count = 0

  constructor(private readonly preserveOutput: PreserveOutput) {}

  /** Keeps what is there already while the test runs: by links alone, since a file may still grow. */
  keepEarly(test: TestCase, result: TestResult, note: AttemptNote): void {
    const outputDir = test.parent.project()?.outputDir
    if (this.preserveOutput === 'always' || outputDir === undefined || !this.#hasGrown(result)) return
    for (const file of listNewFiles(result, note)) {
      if (isInside(file, outputDir)) this.#keep(file, { parent: outputDir, note, means: [linkSync] })
    }
  }

  /** Keeps what will not last: files that Playwright is about to remove, and the user's own, which tests may rewrite. */
  keepAtEnd(test: TestCase, result: TestResult, note: AttemptNote): void {
    const outputDir = test.parent.project()?.outputDir
    for (const file of listNewFiles(result, note)) {
      if (outputDir === undefined || !isInside(file, outputDir)) {
        this.#keep(file, { parent: tmpdir(), note, means: [cloneSync] })
      } else if (!this.#lasts(test, result)) {
        this.#keep(file, { parent: outputDir, note, means: [linkSync, cloneSync] })
      }
    }
  }

  /** Removes all that was kept, once it has been delivered. */
  remove(): void {
    for (const folder of this.#folders.values()) rmSync(folder, { recursive: true, force: true })
    this.#folders.clear()
  }

  #lasts({ expectedStatus }: TestCase, { status }: TestResult): boolean {
    if (this.preserveOutput === 'always') return true
    return this.preserveOutput === 'failures-only' && status !== 'skipped' && status !== expectedStatus
  }

  /** True once for every number of attachments: most steps add none. */
  #hasGrown(result: TestResult): boolean {
    const { length } = result.attachments
    const hasGrown = this.#counts.get(result) !== length
    this.#counts.set(result, length)
    return hasGrown
  }

  #keep(file: string, { parent, note, means }: KeepPlan): void {
    const folder = isRegularFile(file) ? this.#openFolder(parent) : undefined
    if (folder === undefined) return
    this.#count += 1
    const kept = path.join(folder, `${this.#count}${path.extname(file)}`)
    if (means.some((keep) => succeeds(() => keep(file, kept)))) note.keptPaths.set(file, kept)
  }

  /** What is linked stays in the output folder itself, which Playwright clears when any other execution begins. */
  #openFolder(parent: string): string | undefined {
    const known = this.#folders.get(parent)
    if (known !== undefined && existsSync(known)) return known
    const folder = makeFolder(path.join(parent, '.runledger-'))
    if (folder !== undefined) this.#folders.set(parent, folder)
    return folder
  }
}

interface KeepPlan {
  /** Folder in which the kept files' folder is made. */
  parent: string
  note: AttemptNote
  /** Tried in turn. */
  means: ((from: string, to: string) => void)[]
}

function listNewFiles(result: TestResult, note: AttemptNote): string[] {
  return selectAttachments(result.attachments).flatMap(({ path: file }) =>
    file === undefined || note.keptPaths.has(file) ? [] : [file],
  )
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file)
  return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative)
}

function makeFolder(prefix: string): string | undefined {
  try {
    return mkdtempSync(prefix)
  } catch {
    return undefined
  }
}

/** Copying a pipe or a device may never end. */
function isRegularFile(file: string): boolean {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Shares the blocks where the file system can; a file that might be written over is written to the disk at once by ext4. */
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
