/** For the command-line tool: the service and the spool, without an execution. */
export { type ByteRange, connectService, type Service, type ServiceSettings } from './api/connect-service'
export type { Options } from './config/options'
export { findHandedFile, REPEAT_FILE, VERDICT_FILE } from './config/handed-file'
export { findNearest, resolveOptions, type ServiceIdentity } from './config/resolve-options'
export { describeIgnored, explainDistrust } from './config/trust'
export { traceOptions, type OptionTrace } from './config/trace-options'
export type { BacklogResult } from './delivery/backlog'
export { uploadSpool, type SpoolUpload, type UploadSettings } from './delivery/upload-spool'
export { readCiFacts } from './environment/ci'
export { isForkedPullRequest } from './environment/fork'
export { FAILED_RERUN, findGroup } from './environment/report-variables'
export { sumDurations } from './model/suite'
export { ApiError, ConfigError, explainFailure, NetworkError } from './model/errors'
export {
  findOnRecord,
  recordSuites,
  type RecordedSuites,
  type RecordSettings,
  type SuiteRecord,
} from './record-suites'
export { EXECUTION_FILE } from './record/run-source'
export { formatStepName, UniqueNames } from './record/step-name'
export { countTestsOfSuites } from './record/suite-counts'
export {
  type Answer,
  askForShard,
  askPatientlyForShard,
  type AskedShard,
  type ShardAsker,
  type Unplanned,
} from './shard/ask-for-shard'
export { type FrameworkShardSettings, takeFrameworkShard } from './shard/framework-shard'
export {
  createShardRequest,
  describeAbsent,
  divideByCount,
  type Shard,
  type ShardedSuite,
} from './shard/shard-request'
export { Lease } from './spool/lease'
export { isSecretName } from '@runledger/redact'
export { describeDropped } from './report/terminal-line'
export { describeIgnoredHomes, findSpoolDir, findSpools, type FoundSpool } from './spool/spool-place'
export { dropWaitingRun, listWaitingRuns, readWaitingRun, type WaitingRun } from './spool/waiting-runs'
export { openConnection } from './transport/connection'
export { deriveRetryDelayMs, isWorthRetrying } from './transport/retrying-transport'
export type { Transport, TransportRequest, TransportResponse } from './transport/transport'
export { isInside, listFoldersUpward } from './util/files'
export { messageOf } from './util/print-warning'
export { normalizeServiceUrl, parseJson, toPlainLine } from './util/text'
