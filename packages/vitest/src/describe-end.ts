import type { FrameworkEnd } from '@runledger/core'
import type { SerializedError, TestModule, TestRunEndReason, Vitest } from 'vitest/node'

export interface EndContext {
  modules: readonly TestModule[]
  unhandledErrors: readonly SerializedError[]
  reason: TestRunEndReason
  version: string
  config: Partial<
    Pick<
      Vitest['config'],
      'dangerouslyIgnoreUnhandledErrors' | 'onUnhandledError' | 'mergeReports' | 'coverage' | 'shard'
    >
  >
  specificationCount: number
  exitCode: typeof process.exitCode
}

/** Returns what Vitest counted, for the decision on quarantined failures. A later failure sets the exit code again. */
export function describeEnd({
  modules,
  unhandledErrors,
  reason,
  version,
  config,
  specificationCount,
  exitCode,
}: EndContext): FrameworkEnd {
  const isIgnoring = config.dangerouslyIgnoreUnhandledErrors === true
  // Before version 5, Vitest announces the files of all shards.
  const isOfAllShards = config.shard !== undefined && Number.parseInt(version, 10) < 5
  const unrun = isOfAllShards ? 0 : specificationCount - modules.length
  const failedTests = modules.reduce((sum, each) => sum + [...each.children.allTests('failed')].length, 0)
  const otherReasons = [
    ...(reason === 'interrupted' ? ['Vitest was interrupted'] : []),
    ...(unhandledErrors.length > 0 && !isIgnoring ? ['there were unhandled errors'] : []),
    ...(isOfAllShards && (isIgnoring || config.onUnhandledError)
      ? ['Vitest does not say whether all files of the shard ran']
      : []),
    ...(unrun > 0 ? [`${unrun} of ${specificationCount} files did not run`] : []),
    ...(skipsCoverage(config.coverage) ? ['the coverage was not checked (reportOnFailure)'] : []),
    ...(config.mergeReports ? ['merged reports are not decided on'] : []),
    ...(exitCode === 1 ? [] : [`the exit code is ${exitCode ?? 0}, not 1`]),
  ]
  return { hasFailed: reason !== 'passed' || Number(exitCode ?? 0) !== 0, failedTests, otherReasons }
}

/** By default, Vitest compares no coverage with its thresholds once a test has failed. */
function skipsCoverage(coverage: Vitest['config']['coverage'] | undefined): boolean {
  return coverage?.enabled === true && coverage.thresholds !== undefined && !coverage.reportOnFailure
}
