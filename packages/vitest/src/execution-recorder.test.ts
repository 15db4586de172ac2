import { HookGuard, type Core } from '@runledger/reporter-kit'
import { expect, test, vi } from 'vitest'
import type { TestModule } from 'vitest/node'
import { FakeExecution } from '../../../test/support/fake-execution'
import { readRecording, Replay } from '../recordings/replay'
import { ExecutionRecorder, type ExecutionEnd } from './execution-recorder'

const replayMain = () => new Replay(readRecording('main', '4.1.12'))

function createRecorder(load: () => Core): ExecutionRecorder {
  return new ExecutionRecorder({
    vitest: replayMain().createVitest(),
    options: {},
    guard: new HookGuard(() => undefined),
    specifications: [{}],
    load,
    now: () => 5,
  })
}

const endWith = (testModule: TestModule, unhandledErrors: ExecutionEnd['unhandledErrors'] = []) => ({
  modules: [testModule],
  unhandledErrors,
  reason: 'failed' as const,
})

/** From now on, the module can only be described; its state may have changed too. */
function spoil(testModule: TestModule, changes: { state?: () => string } = {}): void {
  Object.assign(testModule, { children: undefined, ...changes })
}

test('a module is given to core again only when it has changed since its end', async () => {
  const execution = new FakeExecution()
  const add = vi.spyOn(execution, 'addSuite')
  const recorder = createRecorder(execution.load)
  const testModule = replayMain().module('kinds.test.ts')
  await recorder.endModule(testModule)
  await recorder.endModule(testModule)
  expect(add).toHaveBeenCalledTimes(1)
  recorder.notes.addOutput({ type: 'stdout', content: 'late', time: 1, size: 1, taskId: testModule.id })
  await recorder.finish(endWith(testModule))
  expect(add).toHaveBeenCalledTimes(2)
  expect(execution.suite('kinds.test.ts').output.map(({ text }) => text)).toEqual(['late'])
})

test('modules under way are given to core when the process exits, and nothing more after the end', async () => {
  const execution = new FakeExecution()
  const before = process.listeners('exit')
  const recorder = createRecorder(execution.load)
  const [exit] = process.listeners('exit').filter((listener) => !before.includes(listener))
  const [ended, running] = [replayMain().module('hooks.test.ts'), replayMain().module('kinds.test.ts')]
  for (const testModule of [ended, running]) recorder.startModule(testModule)
  await recorder.endModule(ended)
  expect(execution.suites.map(({ file }) => file)).toEqual(['hooks.test.ts'])
  exit?.call(process, 130)
  expect(execution.suites.map(({ file }) => file)).toEqual(['hooks.test.ts', 'kinds.test.ts'])
  await recorder.finish(endWith(ended))
  expect(process.listeners('exit')).toEqual(before)
})

test('an execution ends as usual when core cannot be loaded', async () => {
  const recorder = createRecorder(() => {
    throw new Error("Cannot find module '@runledger/core'")
  })
  await expect(recorder.finish(endWith(replayMain().module('kinds.test.ts')))).resolves.toBeUndefined()
})

test('a module that can no longer be mapped at the end keeps all of it, and has later errors too', async () => {
  const execution = new FakeExecution()
  const recorder = createRecorder(execution.load)
  const testModule = replayMain().module('hooks.test.ts')
  recorder.notes.addOutput({ type: 'stdout', content: 'early', time: 1, size: 1, taskId: testModule.id })
  await recorder.endModule(testModule)
  const { tests, problems } = execution.suite('hooks.test.ts')
  spoil(testModule)
  const late = { message: 'nobody caught it', VITEST_TEST_PATH: testModule.moduleId }
  await recorder.finish(endWith(testModule, [late]))
  const suite = execution.suite('hooks.test.ts')
  expect(suite.tests).toEqual(tests)
  expect(suite.problems.slice(0, -1)).toEqual(problems)
  expect(suite.problems.at(-1)).toMatchObject({ name: 'Unhandled error' })
  expect(suite.output.map(({ text }) => text)).toEqual(['early'])
})

test.each([
  ['all-skipped.test.ts', 'failed'],
  ['kinds.test.ts', 'passed'],
])('of %s, once passed and once %s, the failure is on record', async (file, laterState) => {
  const execution = new FakeExecution()
  const recorder = createRecorder(execution.load)
  const testModule = replayMain().module(file)
  await recorder.endModule(testModule)
  spoil(testModule, { state: () => laterState })
  await recorder.finish(endWith(testModule))
  expect(execution.suite(file).outcome).toBe('failed')
})

test.each([
  ['passed', ['passed']],
  ['failed', ['failed']],
  ['skipped', []],
])('a %s module that could never be mapped stands for what ran in it', async (state, outcomes) => {
  const execution = new FakeExecution()
  const recorder = createRecorder(execution.load)
  const testModule = replayMain().module('kinds.test.ts')
  spoil(testModule, { state: () => state })
  await recorder.endModule(testModule)
  await recorder.finish(endWith(testModule))
  expect(execution.suite('kinds.test.ts').tests.map(({ outcome }) => outcome)).toEqual(outcomes)
})
