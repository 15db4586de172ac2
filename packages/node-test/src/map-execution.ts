import type { Problem } from '@runledger/core'

/** Node's final counts, as remarks. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

/** Node failed the execution but no file: low coverage, a late error, or more. */
export function mapExecutionFailure(remarks: readonly string[]): Problem {
  const told = listTold(remarks)
  const message =
    told.length === 0 ? 'Node failed the execution, and told reporters no error.' : told.join('\n')
  return { name: 'Execution failed', errors: [{ message }] }
}

export function listTold(remarks: readonly string[]): string[] {
  return remarks.filter((remark) => !COUNT.test(remark))
}
