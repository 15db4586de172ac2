import type { FileEvent, TestApiEvent } from '@runledger/core'

/** Key of a task's meta that holds its events. */
export const TEST_API_META = 'runledger'

/** An event in a task's meta: plain JSON, which Vitest sends to the reporter with the task's state. */
export type MetaEvent = (TestApiEvent | FileEvent) & {
  /** Index of the attempt, from 0; absent outside of tests. */
  attemptIndex?: number | undefined
}

interface Meta {
  [TEST_API_META]?: MetaEvent[]
}

/** The part of Vitest's tasks that we read, the same in Vitest 3 to 5. */
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
  /** Set when the test has ended. */
  duration?: number | undefined
  errors?: object[] | undefined
}

interface Worker {
  current?: Task | undefined
}

/**
 * The current task of Vitest's worker: a test with its hooks, else a describe block or the file. Undefined outside of a
 * worker. Vitest's own `getCurrentTest` is in another module in each major version, and no import of it loads in all.
 */
export function findCurrentTask(): Task | undefined {
  return (globalThis as { __vitest_worker__?: Worker }).__vitest_worker__?.current
}

/** The task of a test's context; undefined for anything else. */
export function readTask(context: unknown): Task | undefined {
  const task = (context as { task?: Partial<Task> } | null | undefined)?.task
  return task?.meta !== undefined && task.file !== undefined ? (task as Task) : undefined
}
