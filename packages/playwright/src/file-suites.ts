import path from 'node:path'
import type { Suite as PlaywrightSuite, TestCase, TestResult } from '@playwright/test/reporter'
import type { NoteReader } from './attempt-notes'

/** All tests of one file in one project, wherever Playwright's tree has them. */
export interface FileSuite {
  project: string
  /** Path relative to the project root, with `/` separators. */
  file: string
  tests: TestCase[]
}

/**
 * Collects the tests by project name and file: merged shards and repeated tests have several suites for one file
 * (framework facts, 4.1).
 */
export function listFileSuites(root: PlaywrightSuite, rootDir: string): FileSuite[] {
  const suites = new Map<string, FileSuite>()
  for (const projectSuite of root.suites) {
    const project = projectSuite.project()?.name ?? ''
    for (const fileSuite of projectSuite.suites) {
      const file = formatFile(fileSuite.location?.file ?? fileSuite.title, rootDir)
      const key = JSON.stringify([project, file])
      const known = suites.get(key) ?? { project, file, tests: [] }
      known.tests.push(...fileSuite.allTests())
      suites.set(key, known)
    }
  }
  return [...suites.values()]
}

/** A file's path relative to the project root, with `/` separators. */
export function formatFile(file: string, rootDir: string): string {
  const relative = path.isAbsolute(file) ? path.relative(rootDir, file) : file
  return relative.replaceAll('\\', '/')
}

/** True when no test of the file is running, still to run, or to be run again; false for one that was cut. */
export function isSettled({ tests }: FileSuite, readNote: NoteReader): boolean {
  const mostTries = tests.reduce((most, { results }) => Math.max(most, results.length), 0)
  return tests.every((test) => {
    const last = test.results.at(-1)
    if (last === undefined || readNote(last)?.isOver !== true) return false
    return !isUnfinished(test, last) && !mayBeTakenUp(test, last, mostTries)
  })
}

/**
 * Playwright retries what failed, and with it what it skipped because of that: skipped although it was not
 * expected to be.
 */
function isUnfinished({ results, retries, expectedStatus }: TestCase, { status }: TestResult): boolean {
  return status === 'interrupted' || (results.length <= retries && status !== expectedStatus)
}

/**
 * A test not to be run behind one that failed (a serial group, a beforeAll hook) is left out with the rest before any
 * worker comes to it, and goes to the next worker with them, where an afterAll error may fail it.
 */
function mayBeTakenUp(
  { results, retries }: TestCase,
  { workerIndex }: TestResult,
  mostTries: number,
): boolean {
  return workerIndex === -1 && results.length <= retries && results.length < mostTries
}
