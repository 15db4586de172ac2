export { groupCauses, type Cause, type Failure } from './causes'
export { type HistoryCounts, type HistoryResult } from './history'
export {
  INFRASTRUCTURE_LIMITS,
  isInfrastructureBuild,
  type BuildResult,
  type InfrastructureLimits,
} from './infrastructure'
export { upperBoundWithoutFailure, wilsonInterval, type Rate } from './intervals'
export { failureRate, flakeRate, type TestResult } from './rates'
export { findSegments, type Border, type Segment, type SegmentSettings } from './segments'
export { findTestState, type TestState } from './test-state'
