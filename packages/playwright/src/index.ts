import { createLazyReporter } from '@runledger/core/test-side'
import type { RunledgerReporter } from './reporter'

export type { Options } from './options'
export type {
  AttachOptions,
  Limits,
  MeasureOptions,
  NamedLimits,
  TestSide,
  UnitUnderTest,
} from '@runledger/core/test-side'
export {
  attach,
  log,
  measure,
  measureAll,
  step,
  subUnit,
  toBeWithinLimits,
  unitUnderTest,
  variable,
  withTest,
} from './test-side'

export default createLazyReporter<typeof RunledgerReporter>(import.meta.url)
