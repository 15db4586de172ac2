export type * from './suite'
export { createExecution } from './execution'
export type {
  Execution,
  ExecutionFacts,
  ExecutionResult,
  ExecutionSurface,
  SpooledExecution,
} from './execution'
export { ApiError, AttachmentError, ConfigError, NetworkError, UploadError } from './errors'
export type { Options, RunPer, SuiteFacts, UnitUnderTestOption } from './options/options'
