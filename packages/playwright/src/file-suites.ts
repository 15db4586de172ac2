import { toRelativePath } from '@runledger/reporter-kit'
import type { Suite as PlaywrightSuite, TestCase, TestResult } from '@playwright/test/reporter'
import type { NoteReader } from './attempt-notes'

export interface FileSuite {
  project: string
  file: string
  tests: TestCase[]
}

/** Merged shards and repeated tests have several suites for one file. */
export function listFileSuites(root: PlaywrightSuite, rootDir: string): FileSuite[] {
  const suites = new Map<string, FileSuite>()
  for (const projectSuite of root.suites) {
    const project = projectSuite.project()?.name ?? ''
    for (const fileSuite of projectSuite.suites) {
      const file = toRelativePath(rootDir, fileSuite.location?.file ?? fileSuite.title)
      const key = JSON.stringify([project, file])
      const known = suites.get(key) ?? { project, file, tests: [] }
      known.tests.push(...fileSuite.allTests())
      suites.set(key, known)
    }
  }
  return [...suites.values()]
}

/** True if no test of the file is running or will run; false for an interrupted one. */
export function isSettled({ tests }: FileSuite, readNote: NoteReader): boolean {
  const mostAttempts = Math.max(0, ...tests.map(({ results }) => results.length))
  return tests.every((test) => {
    const last = test.results.at(-1)
    if (last === undefined || readNote(last)?.isOver !== true) return false
    return !isUnfinished(test, last) && !mayRunLater(test, last, mostAttempts)
  })
}

/** Playwright retries failed tests, and those skipped because of the failure. */
function isUnfinished({ results, retries, expectedStatus }: TestCase, { status }: TestResult): boolean {
  return status === 'interrupted' || (results.length <= retries && status !== expectedStatus)
}

/**
 * A test skipped after a failure gets a result before a worker reaches it. A retry takes it to the next worker, where an
 * afterAll error may fail it.
 */
function mayRunLater(
  { results, retries }: TestCase,
  { workerIndex }: TestResult,
  mostAttempts: number,
): boolean {
  return workerIndex === -1 && results.length <= retries && results.length < mostAttempts
}
