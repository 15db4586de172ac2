import type { TestOutcome } from '@runledger/core'
import { readFields } from '@runledger/reporter-kit'
import type { TestCase, TestModule, TestSuite } from './framework-types'
import {
  readDiagnostic,
  readInternalResult,
  readResult,
  type ReadDiagnostic,
  type ReadResult,
} from './read-entity'

/** A result is read once, because Vitest creates it anew for each call. */
export interface ReadTest {
  testCase: TestCase
  outcome: TestOutcome
  result: ReadResult
  diagnostic: ReadDiagnostic | undefined
}

export interface ModuleEntities {
  tests: ReadTest[]
  suites: TestSuite[]
}

export function readEntities({ children }: TestModule): ModuleEntities {
  return { tests: [...children.allTests()].map(readTest), suites: [...children.allSuites()] }
}

export function readTest(testCase: TestCase): ReadTest {
  const result = readResult(testCase)
  return { testCase, outcome: deriveOutcome(testCase, result), result, diagnostic: readDiagnostic(testCase) }
}

export function listTitles(entity: TestCase | TestSuite): string[] {
  const { parent } = entity
  return [...(parent.type === 'suite' ? listTitles(parent) : []), entity.name]
}

function deriveOutcome(testCase: TestCase, result: ReadResult): TestOutcome {
  const { state } = result
  if (state === 'passed' || state === 'failed') return state
  const { mode } = readFields(testCase.options)
  if (mode === 'todo') return 'todo'
  if (mode === 'skip') return 'skipped'
  if (state === 'skipped' && hasSkippedItself(testCase, result)) return 'skipped'
  return state === 'pending' && isInSkipped(testCase.parent) ? 'skipped' : 'not-run'
}

/** Vitest overlooks a skipped describe block inside a skipped one: its tests stay pending, with mode `run`. */
function isInSkipped(parent: TestSuite | TestModule): boolean {
  return (
    parent.type === 'suite' && (readFields(parent.options)['mode'] === 'skip' || isInSkipped(parent.parent))
  )
}

// The note of a test under way at a bail, which Vitest 4 and later end as if it had skipped itself.
const ABORTED = 'The test run was aborted by the user.'

// A test after a failed beforeAll hook or a bail is also skipped with mode `run`.
function hasSkippedItself(testCase: TestCase, { note }: ReadResult): boolean {
  if (note === ABORTED) return false
  return readInternalResult(testCase).pending === true || note !== undefined
}
