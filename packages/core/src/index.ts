export type * from './suite'
export { createExecution } from './execution'
export type { Execution, ExecutionFacts, ExecutionResult } from './execution'
export type { Options } from './options'
