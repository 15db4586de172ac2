/** The interface for reporters (docs/write-a-reporter.md). `light` and `tools` are for Runledger's own packages. */
export { createExecution } from './execution'
export type { Execution, ExecutionResult, ExecutionSurface } from './execution'
export type { Environment, Options, RunPer, SuiteFacts, UnitUnderTestOption } from './config/options'
export type {
  Annotation,
  Attachment,
  Attempt,
  BytesAttachment,
  ExecutionFacts,
  FileAttachment,
  OutputEntry,
  Problem,
  Suite,
  SuiteTest,
  TestOutcome,
} from './model/suite'
export type { FrameworkEnd } from './model/framework-end'
export type { ErrorDetail, SourceLocation } from './model/error-detail'
export type {
  FileEvent,
  Limits,
  LogEvent,
  MeasurementEvent,
  StepEvent,
  SubUnitEvent,
  TestApiEvent,
  UnitEvent,
  VariableEvent,
} from './model/test-api-event'
export { ApiError, AttachmentError, ConfigError, NetworkError, UploadError } from './model/errors'
