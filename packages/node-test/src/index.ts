import { createReporter } from './reporter'

export type { Options } from '@runledger/core'
export type { AttachOptions, MeasureOptions, TestApi, UnitUnderTest } from '@runledger/reporter-kit/test-side'
export { createReporter } from './reporter'
export {
  attach,
  log,
  measure,
  measureAll,
  step,
  subUnit,
  unitUnderTest,
  variable,
  withTest,
} from './test-side'

/** For `--test-reporter=@runledger/node-test`; options come from environment variables. */
export default createReporter()
