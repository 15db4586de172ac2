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
export type { Environment, Options, RunPer, SuiteFacts, UnitUnderTestOption } from './options/options'
export { findSpools, type FoundSpool } from './spool/find-spools'
export { StrangeEntryError } from './spool/spool-error'
export type { SweptEntry } from './spool/sweep-spool'
export { uploadSpool, type SpoolUpload, type UploadSettings } from './spool/upload-spool'
export { dropWaitingRun, listWaitingRuns, readWaitingRun, type WaitingRun } from './spool/waiting-run'
export { describeDropped } from './summary/spool-lines'
