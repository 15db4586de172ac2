import type { FileEvent, TestApiEvent } from '@runledger/core'

export const TEST_API_META = 'runledger'

/** An event in a task's meta: plain JSON, which Vitest sends with the task's state. */
export type MetaEvent = (TestApiEvent | FileEvent) & {
  /** From 0; absent outside of tests. */
  attemptIndex?: number | undefined
}

interface Meta {
  [TEST_API_META]?: MetaEvent[]
}

/** The parts of Vitest's tasks that we read, the same in Vitest 3 to 5. */
export interface Task {
  type: string
  concurrent?: boolean | undefined
  meta: Meta
  file: { meta: Meta }
  result?: TaskResult | undefined
}

interface TaskResult {
  state: string
  retryCount?: number | undefined
  duration?: number | undefined
  errors?: object[] | undefined
}

interface Worker {
  current?: Task | undefined
}

/**
 * A test with its hooks, else a describe block or the file. Undefined outside of a worker. Not `getCurrentTest`, which
 * each major version exports from another module.
 */
export function findCurrentTask(): Task | undefined {
  return (globalThis as { __vitest_worker__?: Worker }).__vitest_worker__?.current
}

export function readTask(context: unknown): Task | undefined {
  const task = (context as { task?: Partial<Task> } | null | undefined)?.task
  return task?.meta !== undefined && task.file !== undefined ? (task as Task) : undefined
}
