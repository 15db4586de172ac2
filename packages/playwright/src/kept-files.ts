import { constants, copyFileSync, existsSync, linkSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter'
import type { AttemptNote } from './attempt-notes'
import { selectAttachments } from './map-attachments'
import { readAttachments } from './read-result'

export type PreserveOutput = FullConfig['preserveOutput']

/**
 * Keeps attached files until delivery. Under `preserveOutput: 'failures-only'` or `'never'`, a worker removes a passed
 * test's files right after it reports the end, without waiting for reporters: everything is synchronous and early, and
 * may still be too late. A file that cannot be kept is read from its own path.
 */
export class KeptFiles {
  readonly #folders = new Map<string, string>()
  readonly #counts = new WeakMap<TestResult, number>()
  #count = 0

  constructor(private readonly preserveOutput: PreserveOutput) {}

  /** Only hard links while the test runs, because a file may still grow. */
  keepEarly(test: TestCase, result: TestResult, note: AttemptNote): void {
    const outputDir = test.parent.project()?.outputDir
    if (this.preserveOutput === 'always' || outputDir === undefined || !this.#hasGrown(result)) return
    for (const file of listNewFiles(result, note)) {
      if (isInside(file, outputDir)) this.#keep(file, { parent: outputDir, note, methods: [linkSync] })
    }
  }

  /** Files that Playwright is about to remove, and the user's files, which other tests may overwrite. */
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

  /** Hard links must stay in the output folder, which Playwright clears at the next execution. */
  #openFolder(parent: string): string | undefined {
    const known = this.#folders.get(parent)
    if (known !== undefined && existsSync(known)) return known
    const folder = createFolder(path.join(parent, '.runledger-'))
    if (folder !== undefined) this.#folders.set(parent, folder)
    return folder
  }
}

interface KeepSettings {
  parent: string
  note: AttemptNote
  /** Tried in turn. */
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

/** Copying a pipe or device may never end. */
function isRegularFile(file: string): boolean {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Copies by reflink if possible. `COPYFILE_EXCL`: ext4 syncs an overwritten file. */
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
