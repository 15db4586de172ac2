import type { Problem } from '@runledger/core'

/** The counts that Node gives at the end, as remarks. */
const COUNT = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

/** Node failed the execution and no test file: coverage below its threshold, an error that came after a test, or more. */
export function mapExecutionFailure(remarks: readonly string[]): Problem {
  const told = remarks.filter((remark) => !COUNT.test(remark))
  const message =
    told.length === 0 ? 'Node failed the execution, and told reporters no error.' : told.join('\n')
  return { name: 'Execution failed', errors: [{ message }] }
}
