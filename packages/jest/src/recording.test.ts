import { expect, test } from 'vitest'
import type { JestFileResult, JestGlobalConfig, JestRunResults, JestTest } from './jest-types'
import { FakeExecution } from '../recordings/replay'
import { Recording } from './recording'
import type { ToldCase } from './running-files'

const CONFIG: JestGlobalConfig = {
  rootDir: '/project',
  bail: 1,
  watch: false,
  watchAll: false,
  updateSnapshot: 'new',
  passWithNoTests: false,
  lastCommit: false,
  onlyChanged: false,
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

function tell(recording: Recording, { path }: JestTest, told: ToldCase): void {
  recording.told.get(path)?.push(told)
}

const createRunResults = (failed: number, suites = 2): JestRunResults => ({
  startTime: 900,
  numTotalTestSuites: suites,
  numFailedTests: failed,
  numRuntimeErrorTestSuites: 0,
  snapshot: { failure: false },
})

function createRecording(globalConfig: JestGlobalConfig = CONFIG, now: () => number = Date.now) {
  const execution = new FakeExecution()
  const opened: string[] = []
  const recording = new Recording(
    globalConfig,
    {},
    {
      now,
      loadCore: () =>
        Promise.resolve({
          createExecution: (facts) => {
            opened.push(facts.frameworkVersion)
            execution.facts = facts
            return execution
          },
        }),
    },
  )
  return { execution, recording, opened }
}

test('gives a suite to core by the time its hook ends', async () => {
  const { execution, recording } = createRecording()
  recording.start(900)
  recording.startFile(createTest('a.test.js'))
  await recording.finishFile(createTest('a.test.js'), createResult('passed'))
  expect(execution.suites.map(({ file }) => file)).toEqual(['a.test.js'])
  expect(execution.facts).toMatchObject({
    framework: 'jest',
    rootDir: '/project',
    startedAtMs: 900,
    shard: '2/3',
  })
})

test('opens no execution where no test runs and Jest passes', async () => {
  const { recording, opened } = createRecording({ ...CONFIG, passWithNoTests: true })
  expect(await recording.finish(createRunResults(0, 0))).toBeUndefined()
  expect(opened).toEqual([])
})

test('opens one execution for all files', async () => {
  const { recording, opened } = createRecording()
  for (const path of ['a', 'b', 'c']) recording.startFile(createTest(path))
  await Promise.all(
    ['a', 'b', 'c'].map((path) => recording.finishFile(createTest(path), createResult('passed'))),
  )
  await recording.finish(createRunResults(0))
  expect(opened).toHaveLength(1)
})

test('core is told that tests have ended by the last hook that ends, once all suites are given', async () => {
  const { execution, recording } = createRecording()
  const tests = ['a', 'b', 'c'].map((path) => createTest(path))
  for (const each of tests) recording.startFile(each)
  const [first, ...others] = tests as [JestTest, ...JestTest[]]
  await recording.finishFile(first, createResult('passed'), 3)
  expect(execution.endedAfter).toBeUndefined()
  await Promise.all(others.map((each) => recording.finishFile(each, createResult('passed'), 3)))
  expect(execution.endedAfter).toBe(3)
})

test('core is not told so where files are cut, or Jest does not tell how many there are', async () => {
  const { execution, recording } = createRecording()
  for (const path of ['a', 'b']) recording.startFile(createTest(path))
  await recording.finishFile(createTest('a'), createResult('failed'), 2)
  await recording.finish(createRunResults(1))
  await recording.finishFile(createTest('b'), createResult('passed'), 2)
  expect(execution.endedAfter).toBeUndefined()
  const other = createRecording()
  other.recording.startFile(createTest('a'))
  await other.recording.finishFile(createTest('a'), createResult('passed'))
  expect(other.execution.endedAfter).toBeUndefined()
})

test('with bail a file that ends in time keeps its own verdict', async () => {
  const { execution, recording } = createRecording()
  const slow = createTest('slow.test.js')
  recording.startFile(slow)
  tell(recording, slow, { ancestorTitles: [], title: 't0', status: 'passed' })
  const finished = recording.finish(createRunResults(1))
  await recording.finishFile(slow, createResult('passed'))
  await finished
  expect(execution.suites).toMatchObject([{ file: 'slow.test.js', outcome: 'passed', problems: [] }])
})

test('with bail a file under way is interrupted, once, and one that ran no test is left out', async () => {
  const { execution, recording } = createRecording()
  const slow = createTest('slow.test.js')
  recording.startFile(slow)
  recording.startFile(createTest('unbegun.test.js'))
  tell(recording, slow, { ancestorTitles: [], title: 't0', status: 'passed', duration: 3 })
  tell(recording, slow, { ancestorTitles: [], title: 't1', startedAt: 1_000 })
  await recording.finish(createRunResults(1))
  await recording.finishFile(slow, createResult('passed', 'passed'))
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
  const { execution, recording } = createRecording(CONFIG, () => {
    // The result arrives between the last look at the files under way and the end of the recording.
    if (nowMs > 1_000)
      queueMicrotask(() => void (finishedFile ??= recording.finishFile(slow, createResult('passed'))))
    return (nowMs += 600)
  })
  recording.startFile(slow)
  tell(recording, slow, { ancestorTitles: [], title: 't0', status: 'passed' })
  await recording.finish(createRunResults(1))
  await finishedFile
  expect(execution.suites.map(({ file }) => file)).toEqual(['slow.test.js'])
})

test('without a bail a file that never ended is no failed run', async () => {
  const { execution, recording } = createRecording({ ...CONFIG, bail: 0 })
  const lost = createTest('lost.test.js')
  recording.startFile(lost)
  tell(recording, lost, { ancestorTitles: [], title: 't0', status: 'passed' })
  await recording.finish(createRunResults(0))
  expect(execution.suites).toEqual([])
  expect(execution.problems).toEqual([])
})

test('keeps the attempts of a path that projects run one after the other', async () => {
  const { execution, recording } = createRecording()
  for (const id of ['one', 'two']) {
    const file = createTest('a.test.js', id)
    recording.startFile(file)
    tell(recording, file, { ancestorTitles: [], title: 't0', status: 'failed', invocations: 1 })
    tell(recording, file, { ancestorTitles: [], title: 't0', status: 'passed', invocations: 2 })
    const result = createResult('passed')
    await recording.finishFile(file, {
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
  const { execution, recording } = createRecording()
  const [one, two] = [createTest('a.test.js', 'one'), createTest('a.test.js', 'two')]
  recording.startFile(one)
  recording.startFile(two)
  const failure = { ancestorTitles: [], title: 't0', status: 'failed', failureMessages: ['Error: of one'] }
  tell(recording, one, failure)
  tell(recording, one, { ...failure, status: 'passed', failureMessages: [] })
  const result = createResult('passed')
  const retried = { ...result, testResults: result.testResults.map((each) => ({ ...each, invocations: 2 })) }
  await recording.finishFile(one, retried)
  await recording.finishFile(two, result)
  expect(execution.suites[0]?.tests[0]).toMatchObject({ flaky: true, attempts: [{ errors: [] }, {}] })
  expect(execution.suites[1]?.tests[0]).toMatchObject({ flaky: false, attempts: [{ errors: [] }] })
})

test('a file whose start was never told keeps its results on our own clock', async () => {
  const { execution, recording } = createRecording(CONFIG, () => 5_000)
  const result = { ...createResult('passed'), perfStats: { start: 0, end: 0 } }
  await recording.finishFile(createTest('a.test.js'), result)
  expect(execution.suites).toMatchObject([
    { startedAtMs: 5_000, durationMs: 0, tests: [{ outcome: 'passed' }] },
  ])
})

test('fewer failures than the bail cut nothing', async () => {
  const { execution, recording } = createRecording({ ...CONFIG, bail: 2 })
  const lost = createTest('lost.test.js')
  recording.startFile(lost)
  tell(recording, lost, { ancestorTitles: [], title: 't0', status: 'passed' })
  await recording.finishFile(createTest('a.test.js'), createResult('failed'))
  await recording.finish(createRunResults(1))
  expect(execution.suites.map(({ file }) => file)).toEqual(['a.test.js'])
})

test('suites that passed explain no failure that Jest counts', async () => {
  const { execution, recording } = createRecording({ ...CONFIG, bail: 0 })
  await recording.finishFile(createTest('a.test.js'), createResult('passed'))
  await recording.finish(createRunResults(1))
  expect(execution.problems.map(({ name }) => name)).toEqual(['Test run failed'])
})

test('an execution that cannot be opened is left out without an error', async () => {
  const surface = { now: Date.now, loadCore: () => Promise.reject(new Error('Cannot find package')) }
  const recording = new Recording({ ...CONFIG, bail: 0 }, {}, surface)
  await recording.finishFile(createTest('a.test.js'), createResult('failed'))
  expect(await recording.finish({ ...createRunResults(1, 0) })).toBeUndefined()
})
