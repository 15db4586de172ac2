import { createLazyReporter, type NamedLimits } from '@runledger/reporter-kit/test-side'
import type { RunledgerReporter } from './reporter'

export type { Limits } from '@runledger/core'
export type {
  AttachOptions,
  MeasureOptions,
  NamedLimits,
  TestApi,
  UnitUnderTest,
} from '@runledger/reporter-kit/test-side'
export type { Options } from './options'
export * from './test-side'

declare global {
  namespace PlaywrightTest {
    interface Matchers<R, T = unknown> {
      /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
      toBeWithinLimits(expected: NamedLimits): R
    }
  }
}

export default createLazyReporter<typeof RunledgerReporter>(import.meta.url)
