import { copyFileSync, linkSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FullConfig, TestCase, TestResult } from '@playwright/test/reporter'
import type { AttemptNote } from './attempt-notes'
import { selectAttachments } from './map-attachments'

export type PreserveOutput = FullConfig['preserveOutput']

/**
 * Keeps attached files that would be gone or changed when the execution ends. Playwright removes what passing tests
 * wrote under `preserveOutput: 'failures-only'` or `'never'` right after it has told their end, so that everything
 * here is synchronous. A file that cannot be kept is left to its own path.
 */
export class KeptFiles {
  readonly #folders = new Map<string, string>()
  #count = 0

  constructor(private readonly preserveOutput: PreserveOutput) {}

  /** Keeps what is there already while the test runs: by links alone, since a file may still grow. */
  keepEarly(test: TestCase, result: TestResult, note: AttemptNote): void {
    const outputDir = test.parent.project()?.outputDir
    if (this.preserveOutput === 'always' || outputDir === undefined) return
    for (const file of listNewFiles(result, note)) {
      if (isInside(file, outputDir)) this.#keep(file, { outputDir, note, means: [linkSync] })
    }
  }

  /** Keeps what will not last: files that Playwright is about to remove, and the user's own, which tests may rewrite. */
  keepAtEnd(test: TestCase, result: TestResult, note: AttemptNote): void {
    const outputDir = test.parent.project()?.outputDir ?? tmpdir()
    for (const file of listNewFiles(result, note)) {
      const isOwnedByPlaywright = isInside(file, outputDir)
      if (isOwnedByPlaywright && this.#lasts(test, result)) continue
      const means = isOwnedByPlaywright ? [linkSync, copyFileSync] : [copyFileSync]
      this.#keep(file, { outputDir, note, means })
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

  #keep(file: string, { outputDir, note, means }: KeepPlan): void {
    this.#count += 1
    const kept = path.join(this.#openFolder(outputDir), `${this.#count}${path.extname(file)}`)
    if (means.some((keep) => succeeds(() => keep(file, kept)))) note.keptPaths.set(file, kept)
  }

  /** In the output folder itself, so that files can be linked; Playwright clears it when the next execution begins. */
  #openFolder(outputDir: string): string {
    const known = this.#folders.get(outputDir)
    if (known !== undefined) return known
    const folder = makeFolder(outputDir) ?? mkdtempSync(path.join(tmpdir(), 'runledger-'))
    this.#folders.set(outputDir, folder)
    return folder
  }
}

interface KeepPlan {
  outputDir: string
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

function makeFolder(outputDir: string): string | undefined {
  try {
    mkdirSync(outputDir, { recursive: true })
    return mkdtempSync(path.join(outputDir, '.runledger-'))
  } catch {
    return undefined
  }
}

function succeeds(action: () => void): boolean {
  try {
    action()
    return true
  } catch {
    return false
  }
}
