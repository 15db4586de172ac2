import { hasObsoleteSnapshots, type TestModule } from './framework-types'
import type { Notes } from './module-notes'

/** What the mapping of a module was made from; undefined where Vitest does not let it be seen. */
export type ModuleState = readonly unknown[] | undefined

/** What Vitest's entities stand for. Results and metas are replaced; within a result only the state and errors change. */
interface InternalTask {
  id: string
  mode?: unknown
  meta?: unknown
  result?: { state?: unknown; note?: unknown; errors?: readonly (TaskError | undefined)[] } | undefined
  annotations?: readonly unknown[]
  artifacts?: readonly unknown[]
  tasks?: readonly InternalTask[]
}

/** Parsed stacks come late where Vitest 3 has clients connected. */
interface TaskError {
  stacks?: unknown
}

/** What may still change after Vitest has called a module finished, in an order of its own. Never throws. */
export function readModuleState(testModule: TestModule, notes: Notes): ModuleState {
  try {
    const { task } = testModule as { task?: InternalTask }
    return task && listState(task, testModule, notes)
  } catch {
    return undefined
  }
}

function listState(task: InternalTask, testModule: TestModule, notes: Notes): unknown[] {
  const state: unknown[] = [hasObsoleteSnapshots(testModule)]
  addState(state, task, notes)
  return state
}

/** Without loops: every test goes through it, and V8 optimises a loop at many times the expense of a callback. */
function addState(state: unknown[], task: InternalTask, notes: Notes): void {
  const { result, annotations, artifacts, tasks } = task
  state.push(task, result, result?.state, result?.note, task.meta, task.mode)
  result?.errors?.forEach((error) => state.push(error, error?.stacks))
  state.push(annotations?.length, artifacts?.length, notes.readOutput(task.id).at(-1))
  tasks?.forEach((below) => addState(state, below, notes))
}

/** True when nothing has changed between two states, as far as anybody can see. */
export function isSameState(one: ModuleState, other: ModuleState): boolean {
  if (one === undefined || other === undefined || one.length !== other.length) return false
  return one.every((value, index) => value === other[index])
}
