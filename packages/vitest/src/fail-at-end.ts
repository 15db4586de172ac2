import type { Task } from './find-task'

/**
 * Adds an error to a test, which goes on and fails at its end: what `expect.soft` does in Vitest 3 to 5. False where the
 * call has to throw: outside of tests, and after the test's end.
 */
export function failAtEnd(task: Task | undefined, { name, message, stack }: Error): boolean {
  const { result } = task ?? {}
  if (task?.type !== 'test' || result === undefined || result.duration !== undefined) return false
  result.state = 'fail'
  // Plain, as what Vitest makes of errors: an `Error` would lose its name on the way to the reporters.
  result.errors ??= []
  result.errors.push({ name, message, stack })
  return true
}
