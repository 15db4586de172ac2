import { createLazyReporter, type NamedLimits } from '@runledger/reporter-kit/test-side'
import type { RunledgerReporter } from './reporter'

export type { Limits, Options } from '@runledger/core'
export type {
  AttachOptions,
  MeasureOptions,
  NamedLimits,
  TestApi,
  UnitUnderTest,
} from '@runledger/reporter-kit/test-side'
export * from './test-side'

declare global {
  // Of @types/jest, and of Vitest's Jest compatibility.
  namespace jest {
    interface Matchers<R, T = {}> {
      /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
      toBeWithinLimits(expected: NamedLimits): R
    }
  }
}

// Of @jest/globals. It is a package of Jest's own, so it is there where Jest is.
// @ts-ignore
declare module 'expect' {
  interface Matchers<R extends void | Promise<void>, T = unknown> {
    /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
    toBeWithinLimits(expected: NamedLimits): R
  }
}

export default createLazyReporter<typeof RunledgerReporter>(import.meta.url)
