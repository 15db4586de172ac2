/** Loaded by reporters before core itself. Imports no package. */
export { explainDistrust } from './config/trust'
export { isJudged } from './environment/judged'
export { formatLimits, formatValue, isWithin } from './model/test-api-event'
export { hasRun, sumDurations } from './model/suite'
export { messageOf, printWarning } from './util/print-warning'
export { finishesWithin } from './util/time-limit'
