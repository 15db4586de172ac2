import type { ErrorDetail, Problem } from '@runledger/core'

export interface ExecutionVerdict {
  reason: 'passed' | 'failed' | 'interrupted'
  hasFailingExitCode: boolean
  specificationCount: number
  moduleCount: number
  /** A recorded suite or unhandled error explains the failure. */
  isExplained: boolean
}

/**
 * Represents a failed execution that nothing else explains (no tests, global set-up, interruption): else all its runs would
 * pass.
 */
export function mapUnexplainedFailure(verdict: ExecutionVerdict): Problem | undefined {
  if (verdict.isExplained || (verdict.reason === 'passed' && !verdict.hasFailingExitCode)) return undefined
  return { name: nameFailure(verdict), errors: [explain(verdict)] }
}

function nameFailure({ reason, specificationCount, moduleCount }: ExecutionVerdict): string {
  if (reason === 'interrupted') return 'Interrupted'
  if (moduleCount > 0) return 'Execution failed'
  return specificationCount === 0 ? 'No tests found' : 'Global set-up'
}

function explain({ reason, specificationCount, moduleCount }: ExecutionVerdict): ErrorDetail {
  if (reason === 'interrupted') return { message: 'Vitest was stopped before all files had run.' }
  if (moduleCount > 0) {
    return { message: 'Vitest ended with a failing exit code and reported no error.' }
  }
  if (specificationCount === 0) return { message: 'Vitest found no test file, and passWithNoTests is off.' }
  return {
    message:
      `Vitest failed before it ran any of ${specificationCount} test files; ` +
      'when a global set-up throws, Vitest prints its error and tells reporters nothing.',
  }
}
