import type { Task } from './find-task'

/**
 * The test continues and fails at its end, like `expect.soft`. False if the call must throw: outside of tests, or after the
 * end.
 */
export function failAtEnd(task: Task | undefined, { name, message, stack }: Error): boolean {
  const { result } = task ?? {}
  if (task?.type !== 'test' || result === undefined || result.duration !== undefined) return false
  result.state = 'fail'
  // Plain, as Vitest's own errors: an `Error` would lose its name on the way to reporters.
  result.errors ??= []
  result.errors.push({ name, message, stack })
  return true
}
