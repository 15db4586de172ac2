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
  // Vitest's own `Matchers` has other type parameters in each major version; they all take what Chai's assertions have.
  namespace Chai {
    interface Assertion {
      /** Puts the value on record as a measurement and asserts its limits; after `expect.extend({ toBeWithinLimits })`. */
      toBeWithinLimits(expected: NamedLimits): void
    }
  }
}

export default createLazyReporter<typeof RunledgerReporter>(import.meta.url)
