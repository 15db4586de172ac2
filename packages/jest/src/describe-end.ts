import type { FrameworkEnd } from '@runledger/core'
import type { JestGlobalConfig, JestRunResults } from './jest-types'

/**
 * Returns what Jest counted, for the decision on quarantined failures. Jest checks coverage thresholds after its reporters have ended and
 * does not report the result, so a threshold is a reason of its own.
 */
export function describeEnd(
  results: JestRunResults,
  config: JestGlobalConfig,
  finishedFiles: number,
): FrameworkEnd {
  const { numFailedTests, numRuntimeErrorTestSuites, numTotalTestSuites, runExecError, snapshot } = results
  const { bail, collectCoverage, coverageThreshold, forceExit, testResultsProcessor } = config
  const unrun = numTotalTestSuites - finishedFiles
  const otherReasons = [
    ...(numRuntimeErrorTestSuites > 0
      ? [`${numRuntimeErrorTestSuites} of ${numTotalTestSuites} files could not be run whole`]
      : []),
    ...(runExecError === undefined ? [] : ['the test run failed']),
    ...(unrun > 0 ? [`${unrun} of ${numTotalTestSuites} files did not run`] : []),
    ...(bail > 0 && numFailedTests >= bail ? ['Jest stopped early (bail)'] : []),
    ...(collectCoverage && coverageThreshold !== undefined
      ? ['the coverage may be too low (coverageThreshold)']
      : []),
    ...(testResultsProcessor ? ['the testResultsProcessor may have failed it'] : []),
    ...(forceExit ? ['Jest ends at once (forceExit)'] : []),
  ]
  const hasFailed =
    numFailedTests + numRuntimeErrorTestSuites > 0 || runExecError !== undefined || snapshot.failure
  return { hasFailed, failedTests: numFailedTests, otherReasons }
}
