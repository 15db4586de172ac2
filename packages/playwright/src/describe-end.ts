import type { FrameworkEnd } from '@runledger/core'
import type { FullConfig, FullResult, Suite as PlaywrightSuite, TestCase } from '@playwright/test/reporter'

export interface EndContext {
  config: FullConfig
  root: PlaywrightSuite
  /** The number of errors outside of tests. */
  errorCount: number
  isMerge: boolean
  argv: readonly string[]
}

/** Returns what Playwright counted, for the decision on quarantined failures, which Playwright leaves to a reporter. */
export function describeEnd(
  { status }: FullResult,
  { config, root, errorCount, isMerge, argv }: EndContext,
): FrameworkEnd {
  const tests = root.allTests()
  const unrun = tests.filter(didNotRun).length
  const hasFlaky = tests.some((test) => test.outcome() === 'flaky')
  const otherReasons = [
    ...(status === 'timedout' || status === 'interrupted' ? [`Playwright ended it as ${status}`] : []),
    ...(errorCount > 0 ? ['there were errors outside of tests'] : []),
    ...(unrun > 0 ? [`${unrun} of ${tests.length} tests did not run`] : []),
    ...(hasFlaky && mayFailOnFlaky(config, argv) ? ['flaky tests may fail it (failOnFlakyTests)'] : []),
    ...(isMerge ? ['merged reports are not decided on'] : []),
  ]
  const failedTests = tests.filter((test) => test.outcome() === 'unexpected').length
  return { hasFailed: status !== 'passed', failedTests, otherReasons, decides: true }
}

/** Playwright calls them skipped. */
function didNotRun(test: TestCase): boolean {
  return test.outcome() === 'skipped' && test.expectedStatus !== 'skipped'
}

/** A flag since 1.45, a setting since 1.52, and in the config of reporters only later. */
function mayFailOnFlaky(config: FullConfig, argv: readonly string[]): boolean {
  const { failOnFlakyTests, version } = config as Partial<FullConfig>
  if (failOnFlakyTests !== undefined) return failOnFlakyTests
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  return argv.includes('--fail-on-flaky-tests') || major !== 1 || minor >= 52
}
