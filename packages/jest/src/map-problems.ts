import type { ErrorDetail, Problem } from '@runledger/core'
import { isOfHook } from './hook-errors'
import type { JestFileResult, JestGlobalConfig, JestRunResults } from './jest-types'
import { mapExecErrors } from './map-error'
import { hasStartedTests, type RunningFile } from './running-files'

// jest-circus wraps thrown values that are not errors. In Jest 29 their stack is that of the hook's definition.
const WRAPPED = /^(?:Error: )?thrown: /
const DEFINITION_FRAME = /^[ \t]+at Runtime\._execModule \(/m

/** Errors of a file that belong to no test. Each fails the file. */
export function mapFileProblems(
  result: JestFileResult,
  running: RunningFile | undefined,
  { updateSnapshot, rootDir }: { updateSnapshot: string; rootDir: string },
): Problem[] {
  const problems = mapExecProblems(result, running, rootDir)
  if (updateSnapshot !== 'all') problems.push(...mapSnapshotProblems(result))
  return problems
}

function mapExecProblems(
  result: JestFileResult,
  running: RunningFile | undefined,
  rootDir: string,
): Problem[] {
  const { testExecError, testResults, failureMessage } = result
  if (testExecError === undefined) return []
  const errors = mapExecErrors(testExecError, rootDir, failureMessage)
  if (testResults.length > 0) return errors.map(mapLateError)
  const name = running && hasStartedTests(running) ? 'Suite failed to run' : 'Suite failed to load'
  return errors.map((error) => ({ name, errors: [error] }))
}

/** With test results, it is an afterAll hook's or a later error; only the stack says which. */
function mapLateError(error: ErrorDetail): Problem {
  const { message, stack = '' } = error
  return isOfHook(error) || (WRAPPED.test(message) && DEFINITION_FRAME.test(stack))
    ? { name: 'afterAll hook', kind: 'hook', errors: [error] }
    : { name: 'afterAll hook or unhandled error', errors: [error] }
}

/** Jest also fails for obsolete or mismatched snapshots. */
function mapSnapshotProblems({ snapshot, numFailingTests }: JestFileResult): Problem[] {
  const problems: Problem[] = []
  if (snapshot.unchecked > 0) {
    const keys = snapshot.uncheckedKeys.join(', ')
    problems.push(createProblem('Obsolete snapshot', `${snapshot.unchecked} obsolete: ${keys}`))
  }
  if (snapshot.fileDeleted) problems.push(createProblem('Obsolete snapshot file', 'it holds no snapshot'))
  // A failed test shows its own mismatch; one in afterAll fails no test.
  if (snapshot.unmatched > 0 && numFailingTests === 0) {
    problems.push(createProblem('Snapshot mismatch', `${snapshot.unmatched} snapshots did not match`))
  }
  return problems
}

/** Reasons of a failed execution that no suite shows: a broken runner, snapshot files without a test, no tests. */
export function mapExecutionProblems(
  results: JestRunResults,
  config: JestGlobalConfig,
  failedSuites: number,
): Problem[] {
  const problems: Problem[] = []
  if (results.runExecError !== undefined) {
    problems.push(
      ...mapExecErrors(results.runExecError, config.rootDir).map((error) => ({
        name: 'Test run failed',
        errors: [error],
      })),
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
  return problems.length + failedSuites > 0 ? problems : mapUnexplainedFailure(results)
}

function mapUnexplainedFailure({
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
