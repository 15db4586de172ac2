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
// One sink for all calls: it looks up the running test for each event.
const sink =
  folder === undefined
    ? undefined
    : createFolderSink(folder, (event) => appendEvent(folder, findTest(), event))

const api = createTestApi({
  // In a global set-up or a configuration no test file is running.
  findSink: () => (findTestPath() === undefined ? undefined : sink),
  errorName: 'Error',
  failAtEnd,
})

// Typed as members of `TestApi`: inferred types would lose the documentation in the published declarations.
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

/** Returns the functions for one test. In Jest they are always the same: the calling test is known, also a concurrent one. */
export function withTest(_context?: unknown): TestApi {
  return api
}

declare global {
  // Of @types/jest, and of Vitest's Jest compatibility.
  namespace jest {
    interface Matchers<R, T = {}> {
      /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
      toBeWithinLimits(expected: NamedLimits): R
    }
  }
}

// Of @jest/globals. The package is Jest's own.
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> {
    /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
    toBeWithinLimits(expected: NamedLimits): R
  }
}
