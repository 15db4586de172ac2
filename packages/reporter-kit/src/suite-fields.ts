import path from 'node:path'
import type { ErrorDetail, Suite, SuiteTest } from '@runledger/core'
import { messageOf } from '@runledger/core/light'

/** A file's path relative to the project root, with `/` separators, as runs name files on every system. */
export function toRelativePath(rootDir: string, file: string): string {
  const relative = path.isAbsolute(file) ? path.relative(rootDir, file) : file
  // Not every `\`: on POSIX it may be part of a name.
  return relative.split(path.sep).join('/')
}

/** What a suite is as a whole, without its tests. */
export type SuiteFacts = Pick<Suite, 'project' | 'file' | 'startedAtMs' | 'durationMs' | 'outcome'>

/** One test in place of those that the framework counts and does not list. */
export function createCountedTest(
  title: string,
  { outcome, startedAtMs, durationMs }: Omit<SuiteFacts, 'project' | 'file'>,
  errors: ErrorDetail[] = [],
): SuiteTest {
  const attempt = { status: outcome, startedAtMs, durationMs, errors, attachments: [], output: [] }
  return { titles: [title], outcome, flaky: false, startedAtMs, durationMs, attempts: [attempt] }
}

/**
 * A suite whose results a defect of ours kept from being mapped: the framework's verdict, and the defect. Without tests when
 * the framework says that none of them ran: a suite that passed is no run then.
 */
export function createUnmappedSuite(facts: SuiteFacts, hasRun: boolean, defect: unknown): Suite {
  const { stack } = (defect ?? {}) as Partial<Error>
  const error = { message: `a defect of the reporter: ${messageOf(defect)}`, stack }
  const test = createCountedTest('tests that the reporter could not read', facts, [error])
  const tests = hasRun || facts.outcome === 'failed' ? [test] : []
  return { ...facts, tests, problems: [], output: [], attachments: [] }
}
