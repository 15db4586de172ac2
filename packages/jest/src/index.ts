import { createLazyReporter } from '@runledger/reporter-kit/test-side'
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

export default createLazyReporter<typeof RunledgerReporter>(import.meta.url)
