import type { ErrorDetail, Problem } from '@runledger/core'
import type { JestFileResult, JestGlobalConfig, JestRunResults } from './jest-types'
import { mapExecErrors } from './map-errors'
import { hasBegun, type FileAccount } from './running-files'

// jest-circus calls hooks from `_callCircusHook`; a hook's time-out carries the `afterAll` call that defined it.
const HOOK_FRAME = /^[ \t]+at (?:async )?(?:Object\.)?(?:_callCircusHook|afterAll) \(/m
// What is thrown and is no Error is wrapped by jest-circus; Jest 29 gives it the stack of the hook's definition, which
// ran while the file was loaded.
const WRAPPED = /^(?:Error: )?thrown: /
const DEFINITION_FRAME = /^[ \t]+at Runtime\._execModule \(/m

/** The errors of a file that Jest attributes to no test; it fails the file for each of them. */
export function mapFileProblems(
  result: JestFileResult,
  account: FileAccount | undefined,
  updateSnapshot: string,
): Problem[] {
  const problems = mapExecProblems(result, account)
  if (updateSnapshot !== 'all') problems.push(...mapSnapshotProblems(result))
  return problems
}

function mapExecProblems(result: JestFileResult, account: FileAccount | undefined): Problem[] {
  const { testExecError, testResults, failureMessage } = result
  if (testExecError === undefined) return []
  const errors = mapExecErrors(testExecError, failureMessage)
  if (testResults.length > 0) return errors.map((error) => ({ name: nameLateError(error), errors: [error] }))
  const name = account && hasBegun(account) ? 'Suite failed to run' : 'Suite failed to load'
  return errors.map((error) => ({ name, errors: [error] }))
}

/** With test results present it was an afterAll hook, or an error after the tests; only its stack can tell which. */
function nameLateError({ message, stack = '' }: ErrorDetail): string {
  const isOfHook = HOOK_FRAME.test(stack) || (WRAPPED.test(message) && DEFINITION_FRAME.test(stack))
  return isOfHook ? 'afterAll hook' : 'afterAll hook or unhandled error'
}

/** Jest fails an execution for snapshots that are obsolete or did not match, whatever the tests came to. */
function mapSnapshotProblems({ snapshot, numFailingTests }: JestFileResult): Problem[] {
  const problems: Problem[] = []
  if (snapshot.unchecked > 0) {
    const keys = snapshot.uncheckedKeys.join(', ')
    problems.push(createProblem('Obsolete snapshot', `${snapshot.unchecked} obsolete: ${keys}`))
  }
  if (snapshot.fileDeleted) problems.push(createProblem('Obsolete snapshot file', 'it holds no snapshot'))
  // In a test that fails for it the mismatch is told already; one in an afterAll hook fails nothing.
  if (snapshot.unmatched > 0 && numFailingTests === 0) {
    problems.push(createProblem('Snapshot mismatch', `${snapshot.unmatched} snapshots did not match`))
  }
  return problems
}

/**
 * The reasons that make Jest fail an execution and that no suite shows (jest-core, TestScheduler): a runner that
 * broke down, snapshot files without a test, no tests at all. None for an execution that Jest passes.
 */
export function mapExecutionProblems(
  results: JestRunResults,
  config: JestGlobalConfig,
  failedSuites: number,
): Problem[] {
  const problems: Problem[] = []
  if (results.runExecError !== undefined) {
    problems.push(
      ...mapExecErrors(results.runExecError).map((error) => ({ name: 'Test run failed', errors: [error] })),
    )
  }
  const obsoleteFiles = results.snapshot.filesRemovedList ?? []
  if (config.updateSnapshot !== 'all' && obsoleteFiles.length > 0) {
    problems.push(createProblem('Obsolete snapshot file', obsoleteFiles.join('\n')))
  }
  const mayBeEmpty = config.passWithNoTests || config.lastCommit || config.onlyChanged
  if (results.numTotalTestSuites === 0 && !mayBeEmpty) {
    problems.push(createProblem('No tests found', `no tests found in ${config.rootDir}`))
  }
  return problems.length + failedSuites > 0 ? problems : mapUnseenFailure(results)
}

function mapUnseenFailure({
  numFailedTests,
  numRuntimeErrorTestSuites,
  snapshot,
}: JestRunResults): Problem[] {
  if (numFailedTests + numRuntimeErrorTestSuites === 0 && !snapshot.failure) return []
  const counts = `${numFailedTests} failed tests, ${numRuntimeErrorTestSuites} suites that failed to run`
  return [createProblem('Test run failed', `Jest counts ${counts}, and reported none of them`)]
}

function createProblem(name: string, message: string): Problem {
  return { name, errors: [{ message }] }
}
