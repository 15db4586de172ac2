export { RunledgerReporter as default } from './reporter'
export type { Options } from '@runledger/core'
