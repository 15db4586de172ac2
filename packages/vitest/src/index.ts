import { RunledgerReporter } from './reporter'

export type { Options } from '@runledger/core'

export default RunledgerReporter
