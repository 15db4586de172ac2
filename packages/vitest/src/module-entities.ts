import type { TestOutcome } from '@runledger/core'
import type { TestCase, TestModule, TestSuite } from './framework-types'
import { deriveOutcome } from './map-test'

/** A test and what Vitest makes anew each time that it is asked. */
export interface ReadTest {
  testCase: TestCase
  outcome: TestOutcome
  result: ReturnType<TestCase['result']>
  diagnostic: ReturnType<TestCase['diagnostic']>
}

/** A module's tests and describe blocks, each in Vitest's own order. */
export interface ModuleEntities {
  tests: ReadTest[]
  suites: TestSuite[]
}

export function readTest(testCase: TestCase): ReadTest {
  const result = testCase.result()
  return { testCase, outcome: deriveOutcome(testCase, result), result, diagnostic: testCase.diagnostic() }
}

/** Reads a module once: to walk through Vitest's collections takes as long as to map what is in them. */
export function readEntities(testModule: TestModule): ModuleEntities {
  const entities: ModuleEntities = { tests: [], suites: [] }
  addEntities(entities, testModule)
  return entities
}

function addEntities(entities: ModuleEntities, { children }: TestModule | TestSuite): void {
  for (const child of children) {
    if (child.type === 'suite') {
      entities.suites.push(child)
      addEntities(entities, child)
    } else entities.tests.push(readTest(child))
  }
}
