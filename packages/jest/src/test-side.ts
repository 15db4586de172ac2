import {
  createFolderSink,
  createTestApi,
  readChannelFolder,
  type NamedLimits,
  type TestApi,
} from '@runledger/reporter-kit/test-side'
import type { MatcherFunction } from 'expect'
import { failAtEnd } from './fail-at-end'
import { findTest, findTestPath } from './find-test'
import { appendEvent } from './sidecar'

// Set before the worker started, and constant in it.
const folder = readChannelFolder()
// One sink for all calls: it finds the running test for each event.
const sink =
  folder === undefined
    ? undefined
    : createFolderSink(folder, (event) => appendEvent(folder, findTest(), event))

const api = createTestApi({
  // No test file runs in a global set-up or a configuration.
  findSink: () => (findTestPath() === undefined ? undefined : sink),
  errorName: 'Error',
  failAtEnd,
})

// Typed as members of `TestApi`, because inferred types would lose the documentation.
export const attach: TestApi['attach'] = api.attach
export const log: TestApi['log'] = api.log
export const measure: TestApi['measure'] = api.measure
export const measureAll: TestApi['measureAll'] = api.measureAll
export const step: TestApi['step'] = api.step
export const subUnit: TestApi['subUnit'] = api.subUnit
export const toBeWithinLimits: TestApi['toBeWithinLimits'] = api.toBeWithinLimits satisfies MatcherFunction<
  [NamedLimits]
>
export const unitUnderTest: TestApi['unitUnderTest'] = api.unitUnderTest
export const variable: TestApi['variable'] = api.variable

/** Always the same functions in Jest, which knows the calling test, also a concurrent one. */
export function withTest(_context?: unknown): TestApi {
  return api
}

declare global {
  // For @types/jest and Vitest's Jest compatibility.
  namespace jest {
    interface Matchers<R, T = {}> {
      /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
      toBeWithinLimits(expected: NamedLimits): R
    }
  }
}

// For @jest/globals. The package is Jest's own.
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> {
    /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
    toBeWithinLimits(expected: NamedLimits): R
  }
}
