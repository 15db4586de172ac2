import type { SaidInTry } from './map-said'
import type { SAID_META } from '@runledger/core/test-side'

interface Meta {
  [SAID_META]?: SaidInTry[]
}

/** The part of Vitest's tasks that we read, the same in Vitest 3 to 5. */
export interface Task {
  type: string
  concurrent?: boolean | undefined
  meta: Meta
  file: { meta: Meta }
  result?: { retryCount?: number | undefined } | undefined
}

interface Worker {
  current?: Task | undefined
}

/**
 * What Vitest's worker is at: a test with its hooks, else a describe block or the file. Undefined outside of a worker.
 * Its own `getCurrentTest` has another place in each major version, and no import of them loads in all.
 */
export function findCurrentTask(): Task | undefined {
  return (globalThis as { __vitest_worker__?: Worker }).__vitest_worker__?.current
}

/** The task of a test's context; undefined for anything else. */
export function readTask(context: unknown): Task | undefined {
  const task = (context as { task?: Partial<Task> } | null | undefined)?.task
  return task?.meta !== undefined && task.file !== undefined ? (task as Task) : undefined
}
