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
export {
  costOfLoneFailures,
  minutesInLastWeek,
  type FailedBuild,
  type LoneFailureCost,
  type TimedResult,
} from './cost'
export {
  findDurationChanges,
  isSlowdown,
  SLOWDOWN_LIMITS,
  type DurationChange,
  type DurationChangeSettings,
  type SlowdownLimits,
} from './duration-changes'
export {
  EVIDENCE_WINDOW,
  listFlakyEvidence,
  type EvidenceWindow,
  type FlakyEvidence,
  type PlacedResult,
} from './flaky-evidence'
export { COUNTED_BUILDS } from './shards/expected-duration'
export { NO_HISTORY, planShards, type ShardHistory } from './shards/plan-shards'
export { learnStartUp, type FileSpan } from './shards/start-up'
export { chanceOfPasses, executionsToProveFixed } from './prove-fixed'
export {
  chooseCommit,
  listSuspects,
  locateChange,
  startSearch,
  SURE,
  type ChangeLocation,
  type CommitResult,
  type SearchedResults,
  type Suspect,
} from './bisection'
export { readHistoryFacts, type EarlierResult, type FailureFacts, type HistoryFacts } from './failure-facts'
export { judgeFailure, type FlakyOrReal, type Reason, type ReasonCode } from './flaky-or-real'
export { andersonDarling, type NormalityTest } from './line/anderson-darling'
export {
  capability,
  movingRangeFreedom,
  type Capability,
  type CapabilityIndex,
  type Deviation,
  type SpecificationLimits,
} from './line/capability'
export {
  deviationChart,
  individualsChart,
  individualsLimits,
  rangeChart,
  shareChart,
  type ControlLimits,
  type IndividualsChart,
  type SubgroupChart,
} from './line/control-chart'
export { findViolations, type RuleSet, type Violation } from './line/control-rules'
export { findDrifts, type Drift } from './line/drift'
export { gaugeStudy, type GaugeReading, type GaugeStudy, type VarianceComponent } from './line/gauge-study'
export { pareto, type ParetoRow } from './line/pareto'
export { placeAmong, type Place } from './line/place'
export { summarize, type Summary } from './line/summary'
export { twoFactorAnova, type TwoFactorAnova, type Variation } from './line/two-factor-anova'
export { rolledYield, yieldOf, type Yield } from './line/yields'
