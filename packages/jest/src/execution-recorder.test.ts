import type { Suite } from '@runledger/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { JestFileResult, JestGlobalConfig, JestRunResults, JestTest } from './jest-types'
import { FakeExecution } from '../../../test/support/fake-execution'
import { JEST_CONFIG } from '../../../test/support/jest-results'
import { becomesRun } from '../../../test/support/suites'
import { ChannelFolder, HookGuard } from '@runledger/reporter-kit'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExecutionRecorder } from './execution-recorder'

const CONFIG: JestGlobalConfig = {
  ...JEST_CONFIG,
  bail: 1,
  projects: ['/project'],
  shard: { shardIndex: 2, shardCount: 3 },
}

const createTest = (path: string, id = 'one'): JestTest => ({
  path: `/project/${path}`,
  context: { config: { id, rootDir: '/project' } },
})

function createResult(...statuses: string[]): JestFileResult {
  return {
    testResults: statuses.map((status, index) => ({
      ancestorTitles: [],
      title: `t${index}`,
      status,
      duration: 1,
      startAt: 1_000,
    })),
    numFailingTests: statuses.filter((status) => status === 'failed').length,
    perfStats: { start: 1_000, end: 1_010 },
    snapshot: { unchecked: 0, unmatched: 0, fileDeleted: false, uncheckedKeys: [] },
  }
}

const createRunResults = (failed: number, suites = 2): JestRunResults => ({
  startTime: 900,
  numTotalTestSuites: suites,
  numFailedTests: failed,
  numRuntimeErrorTestSuites: 0,
  snapshot: { failure: false },
})

function createRecorder(globalConfig: JestGlobalConfig = CONFIG, now: () => number = Date.now) {
  const execution = new FakeExecution()
  const { load } = execution
  const printed: string[] = []
  const guard = new HookGuard((line) => printed.push(line))
  const recorder = new ExecutionRecorder({ globalConfig, options: {}, guard, load, now })
  return { execution, recorder, printed }
}

test('gives a suite to core by the time its hook ends', async () => {
  const { execution, recorder, printed } = createRecorder()
  recorder.start(900)
  recorder.startFile(createTest('a.test.js'))
  await recorder.finishFile(createTest('a.test.js'), createResult('passed'))
  expect(execution.suites.map(({ file }) => file)).toEqual(['a.test.js'])
  expect(execution.created).toMatchObject([
    { framework: 'jest', rootDir: '/project', startedAtMs: 900, shard: '2/3' },
  ])
  expect(printed).toEqual([])
})

test('creates no execution when no test runs and Jest passes', async () => {
  const { shard: _, ...whole } = CONFIG
  const { recorder, execution } = createRecorder({ ...whole, passWithNoTests: true })
  expect(await recorder.finish(createRunResults(0, 0))).toBeUndefined()
  expect(execution.created).toEqual([])
})

test('creates an execution for a shard without tests, which is then not missing', async () => {
  const { recorder, execution } = createRecorder({ ...CONFIG, passWithNoTests: true })
  await recorder.finish(createRunResults(0, 0))
  expect(execution.created).toHaveLength(1)
})

test('creates one execution for all files', async () => {
  const { recorder, execution } = createRecorder()
  for (const path of ['a', 'b', 'c']) recorder.startFile(createTest(path))
  await Promise.all(
    ['a', 'b', 'c'].map((path) => recorder.finishFile(createTest(path), createResult('passed'))),
  )
  await recorder.finish(createRunResults(0))
  expect(execution.created).toHaveLength(1)
})

test('with bail a file that ends in time keeps its own verdict', async () => {
  const { execution, recorder } = createRecorder()
  const slow = createTest('slow.test.js')
  recorder.startFile(slow)
  recorder.addCaseEvent(slow, { ancestorTitles: [], title: 't0', status: 'passed' })
  const finished = recorder.finish(createRunResults(1))
  await recorder.finishFile(slow, createResult('passed'))
  await finished
  expect(execution.suites).toMatchObject([{ file: 'slow.test.js', outcome: 'passed', problems: [] }])
})

test('with bail a file under way is interrupted, once, and one without a started test is left out', async () => {
  const { execution, recorder } = createRecorder()
  const slow = createTest('slow.test.js')
  recorder.startFile(slow)
  recorder.startFile(createTest('unbegun.test.js'))
  recorder.addCaseEvent(slow, { ancestorTitles: [], title: 't0', status: 'passed', duration: 3 })
  recorder.addCaseEvent(slow, { ancestorTitles: [], title: 't1', startedAt: 1_000 })
  await recorder.finish(createRunResults(1))
  await recorder.finishFile(slow, createResult('passed', 'passed'))
  expect(execution.suites).toMatchObject([
    {
      file: 'slow.test.js',
      outcome: 'failed',
      tests: [{ outcome: 'passed' }, { outcome: 'not-run' }],
      problems: [{ name: 'Interrupted' }],
    },
  ])
})

test('with bail a file that ends at the very last moment has one run', async () => {
  const slow = createTest('slow.test.js')
  let nowMs = 1_000
  let finishedFile: Promise<void> | undefined
  const { execution, recorder } = createRecorder(CONFIG, () => {
    // The result arrives between the last look at the files under way and the end of the recorder.
    if (nowMs > 1_000)
      queueMicrotask(() => void (finishedFile ??= recorder.finishFile(slow, createResult('passed'))))
    return (nowMs += 600)
  })
  recorder.startFile(slow)
  recorder.addCaseEvent(slow, { ancestorTitles: [], title: 't0', status: 'passed' })
  await recorder.finish(createRunResults(1))
  await finishedFile
  expect(execution.suites.map(({ file }) => file)).toEqual(['slow.test.js'])
})

test('without bail a file that never ended is not a failed run', async () => {
  const { execution, recorder, printed } = createRecorder({ ...CONFIG, bail: 0 })
  const lost = createTest('lost.test.js')
  recorder.startFile(lost)
  recorder.addCaseEvent(lost, { ancestorTitles: [], title: 't0', status: 'passed' })
  await recorder.finish(createRunResults(0))
  expect(execution.suites).toEqual([])
  expect(execution.problems).toEqual([])
  expect(printed).toEqual([])
})

describe('a file under way', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })
  const stepsOf = ({ tests, problems }: Suite) => [
    ...tests.filter(({ outcome }) => outcome !== 'not-run').map(({ titles }) => titles.join()),
    ...problems.map(({ name }) => name),
  ]
  const ended = (title: string) => ({ ancestorTitles: [], title, status: 'passed' })
  const slow = createTest('slow.test.js')

  test('is given to core within a second, and its end takes its place', async () => {
    const { execution, recorder } = createRecorder({ ...CONFIG, bail: 0 })
    recorder.startFile(slow)
    vi.advanceTimersByTime(1_000)
    expect(execution.suites, 'none of its tests has started').toEqual([])
    recorder.addCaseEvent(slow, ended('t0'))
    vi.advanceTimersByTime(1_000)
    const [suite] = execution.suites as [Suite]
    expect([suite.outcome, ...stepsOf(suite)]).toEqual(['failed', 't0', 'Interrupted'])
    recorder.addCaseEvent(slow, ended('t1'))
    vi.advanceTimersByTime(1_000)
    expect(stepsOf(suite)).toEqual(['t0', 't1', 'Interrupted'])
    await recorder.finishFile(slow, createResult('passed', 'passed', 'passed'))
    expect([suite.outcome, ...stepsOf(suite)]).toEqual(['passed', 't0', 't1', 't2'])
    expect(execution.suites).toHaveLength(1)
  })

  test('is not mapped again while nothing happens in it', async () => {
    const { execution, recorder } = createRecorder({ ...CONFIG, bail: 0 })
    const add = vi.spyOn(execution, 'addSuite')
    recorder.startFile(slow)
    recorder.addCaseEvent(slow, ended('t0'))
    vi.advanceTimersByTime(60_000)
    expect(add).toHaveBeenCalledTimes(1)
    await recorder.finishFile(slow, createResult('passed'))
    vi.advanceTimersByTime(60_000)
    expect(add).toHaveBeenCalledTimes(2)
  })

  test('is not recorded if Jest ends normally without reporting its end', async () => {
    const { execution, recorder } = createRecorder({ ...CONFIG, bail: 0 })
    recorder.startFile(slow)
    recorder.addCaseEvent(slow, ended('t0'))
    vi.advanceTimersByTime(1_000)
    await recorder.finish(createRunResults(0))
    expect(execution.suites).toMatchObject([{ outcome: 'passed', durationMs: 0, tests: [], problems: [] }])
    expect(execution.suites.filter(becomesRun)).toEqual([])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('has what its tests measured so far, once when it ends, and their files at its end only', async () => {
    const channel = new ChannelFolder()
    const execution = new FakeExecution()
    const { load } = execution
    const settings = {
      globalConfig: CONFIG,
      options: {},
      guard: new HookGuard(),
      load,
      now: Date.now,
      channel,
    }
    const recorder = new ExecutionRecorder(settings)
    recorder.start(900)
    recorder.startFile(slow)
    recorder.addCaseEvent(slow, ended('t0'))
    const said = (event: object) =>
      JSON.stringify({ session: '1', test: null, event: { atMs: Date.now(), ...event } })
    const lines = [
      JSON.stringify({ session: '1', path: slow.path }),
      said({ kind: 'log', message: 'warm' }),
      said({ kind: 'file', name: 'panel', file: 'panel.png' }),
    ]
    const file = join(String(channel.open()), 'worker.jsonl')
    writeFileSync(file, lines.map((line) => `${line}\n`).join(''))
    vi.advanceTimersByTime(1_000)
    const suite = execution.suite('slow.test.js')
    expect(suite.events).toMatchObject([{ message: 'warm' }])
    expect(suite.attachments).toEqual([])
    recorder.addCaseEvent(slow, ended('t1'))
    appendFileSync(file, `${said({ kind: 'log', message: 'hot' })}\n`)
    vi.advanceTimersByTime(1_000)
    expect(stepsOf(suite)).toEqual(['t0', 't1', 'Interrupted'])
    expect(suite.events).toMatchObject([{ message: 'warm' }, { message: 'hot' }])
    await recorder.finishFile(slow, createResult('passed', 'passed'))
    expect(suite.events).toMatchObject([{ message: 'warm' }, { message: 'hot' }])
    expect(suite.attachments).toMatchObject([{ name: 'panel' }])
    channel.remove()
    await recorder.finish(createRunResults(0))
  })
})

test('keeps the attempts of a path that projects run one after the other', async () => {
  const { execution, recorder } = createRecorder()
  for (const id of ['one', 'two']) {
    const file = createTest('a.test.js', id)
    recorder.startFile(file)
    recorder.addCaseEvent(file, { ancestorTitles: [], title: 't0', status: 'failed', invocations: 1 })
    recorder.addCaseEvent(file, { ancestorTitles: [], title: 't0', status: 'passed', invocations: 2 })
    const result = createResult('passed')
    await recorder.finishFile(file, {
      ...result,
      testResults: result.testResults.map((each) => ({ ...each, invocations: 2 })),
    })
  }
  expect(execution.suites.map(({ tests }) => tests[0]?.attempts.map(({ status }) => status))).toEqual([
    ['failed', 'passed'],
    ['failed', 'passed'],
  ])
})

test('mixes no attempts of a path that two projects run at once, and still counts the retry', async () => {
  const { execution, recorder } = createRecorder()
  const [one, two] = [createTest('a.test.js', 'one'), createTest('a.test.js', 'two')]
  recorder.startFile(one)
  recorder.startFile(two)
  const failure = { ancestorTitles: [], title: 't0', status: 'failed', failureMessages: ['Error: of one'] }
  recorder.addCaseEvent(one, failure)
  recorder.addCaseEvent(one, { ...failure, status: 'passed', failureMessages: [] })
  const result = createResult('passed')
  const retried = { ...result, testResults: result.testResults.map((each) => ({ ...each, invocations: 2 })) }
  await recorder.finishFile(one, retried)
  await recorder.finishFile(two, result)
  expect(execution.suites[0]?.tests[0]).toMatchObject({ flaky: true, attempts: [{ errors: [] }, {}] })
  expect(execution.suites[1]?.tests[0]).toMatchObject({ flaky: false, attempts: [{ errors: [] }] })
})

test('a file whose start was never reported keeps its results, on our own clock', async () => {
  const { execution, recorder } = createRecorder(CONFIG, () => 5_000)
  const result = { ...createResult('passed'), perfStats: { start: 0, end: 0 } }
  await recorder.finishFile(createTest('a.test.js'), result)
  expect(execution.suites).toMatchObject([
    { startedAtMs: 5_000, durationMs: 0, tests: [{ outcome: 'passed' }] },
  ])
})

test('fewer failures than the bail interrupt nothing', async () => {
  const { execution, recorder } = createRecorder({ ...CONFIG, bail: 2 })
  const lost = createTest('lost.test.js')
  recorder.startFile(lost)
  recorder.addCaseEvent(lost, { ancestorTitles: [], title: 't0', status: 'passed' })
  await recorder.finishFile(createTest('a.test.js'), createResult('failed'))
  await recorder.finish(createRunResults(1))
  expect(execution.suites.map(({ file }) => file)).toEqual(['a.test.js'])
})

test('passed suites do not explain a failure that Jest counts', async () => {
  const { execution, recorder } = createRecorder({ ...CONFIG, bail: 0 })
  await recorder.finishFile(createTest('a.test.js'), createResult('passed'))
  await recorder.finish(createRunResults(1))
  expect(execution.problems.map(({ name }) => name)).toEqual(['Test run failed'])
})

test('an execution whose core does not load is left out without an error', async () => {
  const load = () => {
    throw new Error('Cannot find package')
  }
  const guard = new HookGuard(() => undefined)
  const globalConfig = { ...CONFIG, bail: 0 }
  const recorder = new ExecutionRecorder({ globalConfig, options: {}, guard, load, now: Date.now })
  await recorder.finishFile(createTest('a.test.js'), createResult('failed'))
  expect(await recorder.finish({ ...createRunResults(1, 0) })).toBeUndefined()
})

// As jest-light-runner 0.8 does.
test('a file of a runner that counts times from its own start keeps its results, on our own clock', async () => {
  const { execution, recorder } = createRecorder(CONFIG, () => 5_000)
  const result = {
    ...createResult('passed'),
    perfStats: { start: 633.6, end: 700.1 },
    testExecError: null as never,
  }
  await recorder.finishFile(createTest('a.test.js'), result)
  expect(execution.suites).toMatchObject([
    { startedAtMs: 5_000, outcome: 'passed', tests: [{ outcome: 'passed' }], problems: [] },
  ])
})

test('tests that a runner counts and does not list are one step, with the verdict of Jest', async () => {
  const { execution, recorder } = createRecorder()
  const counted = { ...createResult(), numPassingTests: 2 }
  await recorder.finishFile(createTest('a.test.js'), counted)
  await recorder.finishFile(createTest('b.test.js'), { ...counted, numFailingTests: 2 })
  const names = execution.suites.map(({ tests }) => tests.map(({ titles, outcome }) => [...titles, outcome]))
  expect(names).toEqual([
    [['2 passed and 0 failed tests that Jest counts and does not list', 'passed']],
    [['2 passed and 2 failed tests that Jest counts and does not list', 'failed']],
  ])
})

test('a file that cannot be mapped is on record with its verdict, and says why', async () => {
  const { load, suites } = new FakeExecution()
  const printed: string[] = []
  const guard = new HookGuard((line) => printed.push(line))
  let nowMs = 1_000
  const now = () => (nowMs += 100)
  const recorder = new ExecutionRecorder({ globalConfig: CONFIG, options: {}, guard, load, now })
  recorder.startFile(createTest('b.test.js'))
  const broken = (failing: number): JestFileResult =>
    Object.defineProperty({ ...createResult('passed'), numFailingTests: failing }, 'testResults', {
      get: () => {
        throw new Error('no results')
      },
    })
  await recorder.finishFile(createTest('a.test.js'), broken(0))
  await recorder.finishFile(createTest('b.test.js'), broken(1))
  expect(suites.map(({ file, outcome }) => [file, outcome])).toEqual([
    ['a.test.js', 'passed'],
    ['b.test.js', 'failed'],
  ])
  expect(suites.map(({ startedAtMs, durationMs }) => [startedAtMs, durationMs])).toEqual([
    [1_300, 0],
    [1_200, 200],
  ])
  const [error] = suites[0]?.tests[0]?.attempts[0]?.errors ?? []
  expect(error).toMatchObject({ message: 'a defect of the reporter: no results' })
  expect(printed).toEqual([
    '/project/a.test.js: only the verdict is on record, the tests could not be read: no results',
  ])
})

test('measurements of a file that cannot be mapped are recorded, without outcomes', async () => {
  const { load, suites } = new FakeExecution()
  const guard = new HookGuard(() => undefined)
  const channel = new ChannelFolder()
  const folder = channel.open() ?? expect.fail('no folder')
  const settings = { globalConfig: CONFIG, options: {}, guard, load, now: Date.now, channel }
  const recorder = new ExecutionRecorder(settings)
  recorder.start(Date.now())
  recorder.startFile(createTest('a.test.js'))
  const event = { kind: 'measurement', name: 'rail', value: 3.3, passed: true, order: 1, atMs: Date.now() }
  const lines = [
    { session: 's', path: '/project/a.test.js' },
    { session: 's', test: { titles: ['t0'], occurrence: 0, attempt: 1 }, event },
  ]
  writeFileSync(join(folder, 'worker.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const broken = {
    ...createResult('passed'),
    get testResults(): never {
      throw new Error('no results')
    },
  }
  await recorder.finishFile(createTest('a.test.js'), broken)
  await recorder.finish(createRunResults(0))
  channel.remove()
  expect(suites).toMatchObject([{ outcome: 'passed', tests: [{ outcome: 'passed' }], events: [event] }])
  expect(suites[0]?.tests).toHaveLength(1)
})

test('console calls go to the tests that made them when their file ends', async () => {
  const { load, suites } = new FakeExecution()
  const channel = new ChannelFolder()
  const folder = channel.open() ?? expect.fail('no folder')
  const settings = { globalConfig: CONFIG, options: {}, guard: new HookGuard(), load, now: Date.now, channel }
  const recorder = new ExecutionRecorder(settings)
  recorder.start(Date.now())
  recorder.startFile(createTest('a.test.js'))
  const event = { kind: 'output', index: 1, atMs: 1_000 }
  const lines = [
    { session: 's', path: '/project/a.test.js' },
    { session: 's', test: { titles: ['t0'], occurrence: 0, attempt: 1 }, event },
  ]
  writeFileSync(join(folder, 'worker.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const origin = '    at log (/project/lib/log.js:3:1)'
  const console = ['of the file', 'of t0'].map((message) => ({ message, type: 'log', origin }))
  await recorder.finishFile(createTest('a.test.js'), { ...createResult('passed'), console })
  await recorder.finish(createRunResults(0))
  channel.remove()
  expect(suites[0]?.output).toMatchObject([{ text: 'of the file', origin: 'lib/log.js:3' }])
  expect(suites[0]?.tests[0]?.attempts[0]?.output).toMatchObject([{ text: 'of t0', origin: 'lib/log.js:3' }])
})

test('a file with snapshots that fail Jest has failed, though it cannot be mapped and nothing in it ran', async () => {
  const { load, suites } = new FakeExecution()
  const guard = new HookGuard(() => undefined)
  for (const updateSnapshot of ['new', 'all']) {
    const globalConfig = { ...CONFIG, updateSnapshot }
    const recorder = new ExecutionRecorder({ globalConfig, options: {}, guard, load, now: Date.now })
    const snapshot = { unchecked: 0, unmatched: 1, fileDeleted: false, uncheckedKeys: [] }
    const broken = {
      ...createResult(),
      numPassingTests: 0,
      snapshot,
      get testResults(): never {
        throw new Error('no results')
      },
    }
    await recorder.finishFile(createTest('a.test.js'), broken)
  }
  expect(suites).toMatchObject([
    { outcome: 'failed', tests: [{ outcome: 'failed' }] },
    { outcome: 'passed', tests: [] },
  ])
})

test.each([
  [{ message: 'Jest worker encountered 4 child process exceptions, exceeding retry limit' }, 1],
  ['Jest worker encountered 4 child process exceptions, exceeding retry limit', 1],
  [{ message: 'Jest worker encountered 12 child process exceptions, exceeding retry limit' }, 4],
  [
    { message: 'A jest worker process was terminated: Jest worker encountered 4 child process exceptions' },
    4,
  ],
  [{ message: 'Call retries were exceeded' }, 1],
  [{ message: 'Error: Call retries were exceeded' }, 4],
  [{ stack: 'at x' }, 4],
])('of a file that was tried several times the last try counts: %j', async (testExecError, tests) => {
  const { execution, recorder } = createRecorder()
  const crashed = createTest('a.test.js')
  recorder.startFile(crashed)
  for (let tries = 0; tries < 4; tries += 1) {
    recorder.addCaseEvent(crashed, { ancestorTitles: [], title: 't0' })
    recorder.addCaseEvent(crashed, { ancestorTitles: [], title: 't0', status: 'passed' })
  }
  await recorder.finishFile(crashed, { ...createResult(), testExecError })
  expect(execution.suites[0]?.tests).toHaveLength(tests)
  expect(execution.suites[0]?.outcome).toBe('failed')
})
