import path from 'node:path'
import type { Attempt, ErrorDetail, Suite, SuiteTest } from '@runledger/core'
import { messageOf } from '@runledger/core/light'

/** Relative to the project root, with `/` separators on every system. */
export function toRelativePath(rootDir: string, file: string): string {
  const relative = path.isAbsolute(file) ? path.relative(rootDir, file) : file
  // Not every `\`: on POSIX it may be part of a name.
  return relative.split(path.sep).join('/')
}

export type SuiteFacts = Pick<Suite, 'project' | 'file' | 'startedAtMs' | 'durationMs' | 'outcome'>

/** Represents tests that the framework counts and does not list. */
export function createCountedTest(
  title: string,
  { outcome, startedAtMs, durationMs }: Omit<SuiteFacts, 'project' | 'file'>,
  errors: ErrorDetail[] = [],
): SuiteTest {
  const attempt: Attempt = { status: outcome, startedAtMs, durationMs, errors, attachments: [], output: [] }
  if (outcome === 'failed') attempt.failsOutside = true
  return { titles: [title], outcome, flaky: false, startedAtMs, durationMs, attempts: [attempt] }
}

/**
 * A suite that a defect of ours kept from being mapped. Without tests if the framework says that none ran: if it passed,
 * it is not recorded.
 */
export function createUnmappedSuite(facts: SuiteFacts, hasRun: boolean, defect: unknown): Suite {
  const { stack } = (defect ?? {}) as Partial<Error>
  const error = { message: `a defect of the reporter: ${messageOf(defect)}`, stack }
  const test = createCountedTest('tests that the reporter could not read', facts, [error])
  const tests = hasRun || facts.outcome === 'failed' ? [test] : []
  return { ...facts, tests, problems: [], output: [], attachments: [] }
}
