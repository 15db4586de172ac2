import {
  formatText,
  readAttemptCount,
  readFields,
  readLength,
  readList,
  readText,
  readTime,
  type Fields,
} from '@runledger/reporter-kit'
import { readFailureDetail } from './failure-details'
import type {
  JestAssertion,
  JestCaseResult,
  JestCaseStart,
  JestConsoleEntry,
  JestExecError,
  JestFileResult,
} from './jest-types'
import { addPrintedCauses } from './printed-causes'
import type { CaseEvent } from './running-files'

/**
 * Reads a runner's result. Other runners omit fields, give null or other types, or count times from their own start; an
 * unusable value counts as absent. The verdict follows `addResult` in @jest/test-result.
 */
export function readFileResult(handed: unknown): JestFileResult {
  const fields = readFields(handed)
  const { testResults, testExecError, failureMessage, perfStats, console, snapshot } = fields
  const { start, end } = readFields(perfStats)
  const [startMs, endMs] = [readTime(start), readTime(end)]
  const { unchecked, unmatched, fileDeleted, uncheckedKeys } = readFields(snapshot)
  return {
    testResults: addPrintedCauses(readList(testResults).map(readAssertion), readText(failureMessage)),
    numFailingTests: readCount(fields['numFailingTests']),
    numPassingTests: readCount(fields['numPassingTests']),
    testExecError: readExecError(testExecError),
    failureMessage: readText(failureMessage),
    perfStats: startMs && endMs ? { start: startMs, end: endMs } : undefined,
    console: readList(console).map(readConsoleEntry),
    snapshot: {
      unchecked: readCount(unchecked),
      unmatched: readCount(unmatched),
      fileDeleted: Boolean(fileDeleted),
      uncheckedKeys: readList(uncheckedKeys).map(formatText),
    },
  }
}

export function readCaseEvent(handed: JestCaseStart | JestCaseResult): CaseEvent {
  const fields = readFields(handed)
  const startedAt = readTime(fields['startedAt'])
  return { startedAt, ...('status' in fields ? readAssertion(handed) : readTitles(fields)) }
}

function readAssertion(handed: unknown): JestAssertion {
  const fields = readFields(handed)
  const { status, duration, failureMessages, failureDetails, invocations, retryReasons, startAt } = fields
  return {
    status: formatText(status),
    duration: readLength(duration),
    failureMessages: readList(failureMessages).map(formatText),
    details: readList(failureDetails).map(readFailureDetail),
    location: readLocation(fields['location']),
    invocations: Math.max(1, readAttemptCount(invocations)),
    retryReasons: readList(retryReasons).map(formatText),
    startAt: readTime(startAt),
    ...readTitles(fields),
  }
}

function readTitles({ ancestorTitles, title }: Fields): Pick<JestAssertion, 'ancestorTitles' | 'title'> {
  return { ancestorTitles: readList(ancestorTitles).map(formatText), title: formatText(title) }
}

function readLocation(handed: unknown): JestAssertion['location'] {
  const { line, column } = readFields(handed)
  return isPlace(line) && isPlace(column) ? { line, column } : undefined
}

function isPlace(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0
}

/** Jest only checks whether it is truthy. */
function readExecError(handed: unknown): JestExecError | undefined {
  if (!handed) return undefined
  if (typeof handed !== 'object' || Array.isArray(handed)) return formatText(handed)
  const { message, stack } = readFields(handed)
  return { message: formatText(message), stack: readText(stack), nested: readFailureDetail(handed).nested }
}

function readConsoleEntry(handed: unknown): JestConsoleEntry {
  const { message, origin, type } = readFields(handed)
  return { message: formatText(message), origin: formatText(origin), type: formatText(type) }
}

/** Jest only checks whether it is above 0. */
function readCount(value: unknown): number {
  return Math.max(0, Number(value)) || 0
}
