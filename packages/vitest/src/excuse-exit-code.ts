import { isJudged } from '@runledger/reporter-kit'

interface Excusable {
  isExcused?: true
}

/** The exit code if the process ends during the delivery. */
const MARKED = 101

/**
 * Removes Vitest's exit code 1 if the delivery says that the execution is excused. A 1 that another reporter sets during the delivery
 * stays, because Vitest's own has another value until then.
 */
export async function excuseExitCode<Result extends Excusable | undefined>(
  deliver: () => Promise<Result>,
): Promise<Result> {
  if (process.exitCode !== 1 || !isJudged()) return deliver()
  process.exitCode = MARKED
  let isExcused: true | undefined
  try {
    const result = await deliver()
    isExcused = result?.isExcused
    return result
  } finally {
    if (process.exitCode === MARKED) process.exitCode = isExcused ? undefined : 1
  }
}
