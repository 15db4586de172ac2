import { formatCount } from '@runledger/presentation'
import { type Build, describeBuild } from '@runledger/protocol'
import type { RerunResult } from './check-rerun'
import type { FailedTests } from './failed-tests'
import { countNeeded, type Failures } from './failures'
import type { FailedTest } from './recorded-run'
import type { SelectableFramework } from './select-tests'

/** What `runledger run --failed` knows of a build. */
export interface Found {
  build: Build
  framework: SelectableFramework
  failures: Failures
  /** Those that have to run again. */
  tests: FailedTests
  /** How many failed runs of the build the service did not list. */
  unlisted: number
}

const MAX_NAMED = 20

/** Describes the result in the lines that are printed after the command. */
export function describeResult({ tests }: Found, result: RerunResult, isCi: boolean): string[] {
  const { passed, failed, missing, uncleared, runs, failedRuns } = result
  if (runs === 0)
    return [
      'The command left nothing on record: does it use a reporter of this version, and the same service?',
    ]
  const total = passed + failed
  const unrun = tests.failed.length - total
  const where = isCi ? '' : ' Outside of a CI, that does not fail this command.'
  return [
    `${total} of ${describeTests({ ...tests, unrun: [] })} ran again: ${passed} passed, ${failed} failed, ${unrun} did not run.`,
    ...nameSome(missing.map((test) => `Did not run: ${nameTest(test)}`)),
    ...nameSome(
      uncleared.map(
        ({ failure, passes }) =>
          `Not cleared on ${failure.environment} (passes: ${passes} of ${countNeeded(failure)}): ${nameTest(failure.test)}`,
      ),
    ),
    ...(uncleared.length > 0 ? [`Not cleared: ${formatCount(uncleared.length, 'failure')}.${where}`] : []),
    ...(failedRuns > 0 && failed === 0 ? [`${formatCount(failedRuns, 'run')} of the command failed.`] : []),
  ]
}

export function nameSome(lines: readonly string[]): string[] {
  const left = lines.length - MAX_NAMED
  return [...lines.slice(0, MAX_NAMED), ...(left > 0 ? [`And ${left} more`] : [])]
}

/** Failures that no test can clear. */
export function listOthers({
  build,
  failures: { others },
  unlisted,
}: Pick<Found, 'build' | 'failures' | 'unlisted'>): string[] {
  const reasons = [
    ...others.map(({ name, runId }) => `${name} (${new URL(`runs/${runId}`, build.url).href})`),
    ...(unlisted > 0 ? [`${formatCount(unlisted, 'failed run')} could not be listed`] : []),
  ]
  return nameSome(reasons.map((reason) => `The build has a failure that no test can clear: ${reason}`))
}

export function describeTests({ failed, unrun }: Pick<FailedTests, 'failed' | 'unrun'>): string {
  const files = failed.filter(({ name }) => name === undefined).length
  const tests = failed.length - files
  const parts = [
    ...(tests > 0 || failed.length + unrun.length === 0 ? [formatCount(tests, 'failed test')] : []),
    ...(files > 0 ? [formatCount(files, 'failed file')] : []),
    ...(unrun.length > 0 ? [`${formatCount(unrun.length, 'test')} that did not run`] : []),
  ]
  return parts.join(' and ')
}

export function nameBuild({ build, framework }: Pick<Found, 'build' | 'framework'>): string {
  return `${build.group} (${framework}, ${describeBuild(build)})`
}

export function nameTest({ project, file, name }: FailedTest): string {
  return [project === '' ? file : `[${project}] ${file}`, ...(name === undefined ? [] : [name])].join(' › ')
}

/** As JSON. */
export function toRow({ project, file, name }: FailedTest) {
  return { project, file, name: name ?? null }
}
