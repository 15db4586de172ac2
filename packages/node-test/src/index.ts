import { createReporter } from './reporter'

export type { Options } from '@runledger/core'
export { createReporter } from './reporter'

/** For `--test-reporter=@runledger/node-test`; options come from environment variables. */
export default createReporter()
