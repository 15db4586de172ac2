import { expect, test } from 'vitest'
import type { TestModule } from './framework-types'
import { LiveNotes } from './module-notes'
import { isSameState, readModuleState } from './module-state'

const createResult = () => ({ state: 'pass', errors: [{ message: 'a soft one' }] })

function createTask(id: string, tasks?: object[]) {
  return { id, mode: 'run', meta: {}, result: createResult(), annotations: [{}], artifacts: [], tasks }
}

/** A module with a test in a describe block, what is noted of it, and the ways in which it may still change. */
function createModule() {
  const test1 = createTask('1_0_0')
  const block = createTask('1_0', [test1])
  const task = createTask('1', [block])
  const summary = { uncheckedKeysByFile: [] as object[] }
  const project = { vitest: { snapshot: { summary } } }
  const notes = new LiveNotes(Date.now)
  const log = { type: 'stdout' as const, content: 'said', time: 1, size: 4 }
  notes.addOutput({ ...log, taskId: '1_0_0' })
  const changes: Record<string, () => void> = {
    'a result': () => (test1.result = createResult()),
    'a state within a result': () => (block.result.state = 'fail'),
    'errors within a result': () => test1.result.errors.splice(0),
    'a stack of an error': () => Object.assign(test1.result.errors[0] as object, { stacks: [] }),
    'a note within a result': () => Object.assign(block.result, { note: 'late' }),
    'a meta': () => (task.meta = {}),
    'a mode': () => (test1.mode = 'skip'),
    'an annotation': () => test1.annotations.push({}),
    'an artifact': () => test1.artifacts.push({} as never),
    'a test': () => block.tasks?.push(createTask('1_0_1')),
    'output of a test': () => notes.addOutput({ ...log, taskId: '1_0_0' }),
    'output of the file': () => notes.addOutput({ ...log, taskId: '1' }),
    'an obsolete snapshot': () => summary.uncheckedKeysByFile.push({ filePath: '/project/a.test.ts' }),
  }
  const testModule = { task, project, moduleId: '/project/a.test.ts' } as unknown as TestModule
  return { read: () => readModuleState(testModule, notes), changes }
}

test('a module that nothing happens to stays as it is', () => {
  const { read } = createModule()
  expect(isSameState(read(), read())).toBe(true)
})

test.each(Object.keys(createModule().changes))('%s that comes late is a change', (name) => {
  const { read, changes } = createModule()
  const before = read()
  changes[name]?.()
  expect(isSameState(before, read())).toBe(false)
})

test('a module whose inside is not to be seen counts as changed', () => {
  const odd = {
    get tasks() {
      throw new Error('no list')
    },
  }
  for (const testModule of [{}, { task: odd, project: {} }]) {
    const read = () => readModuleState(testModule as unknown as TestModule, new LiveNotes(Date.now))
    expect(isSameState(read(), read())).toBe(false)
  }
})
