import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ExecutionResult } from '@runledger/core'
import type { TestModule, Vitest } from 'vitest/node'
import { FakeExecution } from '../../../test/support/fake-execution'
import { becomesRun } from '../../../test/support/suites'
import { listRecordedVersions, listRecordings, readRecording, Replay } from '../recordings/replay'
import { RunledgerReporter } from './reporter'

async function report(
  replay: Replay,
  execution: FakeExecution,
  config?: Record<string, unknown>,
): Promise<void> {
  const reporter = new RunledgerReporter({}, execution.load)
  reporter.onInit(replay.createVitest(config))
  replay.play(reporter)
  await end(reporter, replay)
}

function end(reporter: RunledgerReporter, replay: Replay): Promise<void> {
  const { unhandledErrors, reason } = replay.recording.end
  return reporter.onTestRunEnd(replay.modules, unhandledErrors, reason)
}

const exitCodeBefore = process.exitCode
beforeEach(() => {
  process.exitCode = undefined
})
afterEach(() => {
  process.exitCode = exitCodeBefore
})

describe.each(listRecordedVersions('main'))('an execution of Vitest %s', (version) => {
  const replayMain = () => new Replay(readRecording('main', version))

  test('gives every module to core', async () => {
    const execution = new FakeExecution()
    await report(replayMain(), execution)
    expect(execution.suites.map(({ file }) => file).sort()).toEqual([
      'all-skipped.test.ts',
      'hooks.test.ts',
      'kinds.test.ts',
      'load.test.ts',
      'retries.test.ts',
      'types.test-d.ts',
      'unhandled.test.ts',
    ])
    expect(execution.finishedCount).toBe(1)
    expect(execution.problems).toEqual([])
  })

  test('gives a module to core as soon as it has ended', async () => {
    const replay = replayMain()
    const execution = new FakeExecution()
    const reporter = new RunledgerReporter({}, execution.load)
    reporter.onInit(replay.createVitest())
    replay.play(reporter)
    await new Promise((resolve) => setImmediate(resolve))
    expect(execution.suites.map(({ file }) => file)).toContain('kinds.test.ts')
    expect(execution.finishedCount).toBe(0)
    await end(reporter, replay)
  })

  test.each([
    ['lets core excuse failures', undefined, { hasFailed: true }],
    ['lets core excuse none if something else set the exit code before the end', 1, undefined],
  ])('%s', async (_title, before, expected) => {
    const replay = replayMain()
    const execution = new FakeExecution()
    const reporter = new RunledgerReporter({}, execution.load)
    reporter.onInit(replay.createVitest())
    vi.spyOn(execution, 'addSuite').mockImplementation(() => (process.exitCode = before))
    replay.play(reporter)
    process.exitCode = 1
    await end(reporter, replay)
    if (expected) expect(execution.end).toMatchObject(expected)
    else expect(execution.end).toBeUndefined()
  })

  test('fails the file that an unhandled error names, though all its tests passed', async () => {
    const execution = new FakeExecution()
    await report(replayMain(), execution)
    const suite = execution.suite('unhandled.test.ts')
    expect(suite.tests.map(({ outcome }) => outcome)).toEqual(['passed'])
    expect(suite.outcome).toBe('failed')
    expect(suite.problems).toMatchObject([
      { name: 'Unhandled error', errors: [{ message: 'Unhandled Rejection: Error: nobody caught it' }] },
    ])
  })

  test('only logs unhandled errors with dangerouslyIgnoreUnhandledErrors', async () => {
    const execution = new FakeExecution()
    await report(replayMain(), execution, { dangerouslyIgnoreUnhandledErrors: true })
    const suite = execution.suite('unhandled.test.ts')
    expect(suite).toMatchObject({ outcome: 'passed', problems: [] })
    expect(suite.output.map(({ text }) => text).join()).toContain('nobody caught it')
  })

  test('keeps each annotation with the attempt that made it', async () => {
    const execution = new FakeExecution()
    await report(replayMain(), execution)
    const [flaky] = execution.suite('retries.test.ts').tests
    const bodies = flaky?.attempts.map(({ attachments }) =>
      attachments.map((each) =>
        'bytes' in each ? `${each.name}: ${Buffer.from(each.bytes).toString()}` : each,
      ),
    )
    expect(bodies).toEqual([['Reading 1: call 1'], ['Reading 2: call 2'], ['Reading 3: call 3']])
  })

  test('attaches annotated files and leaves web addresses to the log', async () => {
    const execution = new FakeExecution()
    await report(replayMain(), execution)
    const attempt = execution.suite('retries.test.ts').tests[3]?.attempts[0]
    expect(attempt?.attachments).toMatchObject([{ name: 'Curve of 3.3 V', contentType: 'text/csv' }])
    expect(attempt?.attachments[0]).toHaveProperty(
      'path',
      expect.stringMatching(/^\/project\/\.vitest.*\.csv$/),
    )
    expect(attempt?.output.map(({ text }) => text)).toContain(
      '[notice] manual https://example.com/manual.pdf',
    )
  })

  test('keeps console output with the test or the file that wrote it', async () => {
    const execution = new FakeExecution()
    await report(replayMain(), execution)
    const suite = execution.suite('kinds.test.ts')
    expect(suite.tests[0]?.attempts[0]?.output.map(({ text }) => text)).toEqual(['from the test\n'])
    expect(suite.output.map(({ text }) => text)).toEqual(['from the file\n'])
  })
})

test.each(listRecordedVersions('bail'))(
  'Vitest %s leaves a file that never started off the record',
  async (version) => {
    const execution = new FakeExecution()
    await report(new Replay(readRecording('bail', version)), execution)
    expect(execution.suites.map(({ file }) => file)).toEqual(['cut.test.ts'])
    expect(execution.problems).toEqual([])
  },
)

test.each(listRecordedVersions('killed'))(
  'the death of a worker of Vitest %s fails the execution',
  async (version) => {
    const execution = new FakeExecution()
    await report(new Replay(readRecording('killed', version)), execution)
    expect(execution.problems.map(({ name }) => name)).toEqual(['Unhandled error'])
    expect(execution.suite('never-started.test.ts').outcome).toBe('passed')
  },
)

test.each(listRecordedVersions('none'))(
  'Vitest %s without test files is a problem of the execution',
  async (version) => {
    const execution = new FakeExecution()
    await report(new Replay(readRecording('none', version)), execution)
    expect(execution.problems.map(({ name }) => name)).toEqual(['No tests found'])
  },
)

const [ANY = ''] = listRecordedVersions('main')

test.each([{ watch: true }, { mode: 'benchmark' }])('nothing is loaded for %o', async (facts) => {
  const replay = new Replay(readRecording('main', ANY))
  const execution = new FakeExecution()
  let loads = 0
  const reporter = new RunledgerReporter({}, () => {
    loads += 1
    return execution.load()
  })
  const vitest = { ...replay.createVitest({ watch: 'watch' in facts }), ...facts } as unknown as Vitest
  reporter.onInit(vitest)
  replay.play(reporter)
  await end(reporter, replay)
  expect(loads).toBe(0)
  expect(execution.finishedCount).toBe(0)
})

test('the record of merged reports says that attached files stayed where their tests ran', async () => {
  const replay = new Replay(readRecording('main', ANY))
  const file = { kind: 'file', name: 'shot', file: '1.png', order: 0, atMs: 1 }
  replay.module('kinds.test.ts').meta = () => ({ runledger: [file] }) as never
  const execution = new FakeExecution()
  await report(replay, execution, { mergeReports: '.vitest-reports' })
  const { attachments, output } = execution.suite('kinds.test.ts')
  expect(attachments).toEqual([])
  expect(output.map(({ text }) => text)).toContain('not attached: shot: its bytes stayed where the test ran')
})

test('a failed delivery leaves the exit code alone', async () => {
  const failed: ExecutionResult = {
    status: 'failed',
    error: new Error('no response'),
    failOnUploadError: false,
  }
  await report(new Replay(readRecording('main', ANY)), new FakeExecution(failed))
  expect(process.exitCode).toBeUndefined()
})

test('a failed delivery fails the execution when the user asked for it', async () => {
  const failed: ExecutionResult = {
    status: 'failed',
    error: new Error('no response'),
    failOnUploadError: true,
  }
  await report(new Replay(readRecording('main', ANY)), new FakeExecution(failed))
  expect(process.exitCode).toBe(1)
})

test('an execution that Vitest passes has no problem', async () => {
  const replay = new Replay(readRecording('main', ANY))
  const execution = new FakeExecution()
  const reporter = new RunledgerReporter({}, execution.load)
  reporter.onInit(replay.createVitest())
  reporter.onTestRunStart([{}])
  await reporter.onTestRunEnd([replay.module('all-skipped.test.ts')], [], 'passed')
  expect(execution.problems).toEqual([])
  expect(execution.suites.map(({ outcome }) => outcome)).toEqual(['passed'])
})

test('an unexplained failing exit code becomes a problem', async () => {
  const replay = new Replay(readRecording('main', ANY))
  const execution = new FakeExecution()
  const reporter = new RunledgerReporter({}, execution.load)
  reporter.onInit(replay.createVitest())
  reporter.onTestRunStart([{}])
  process.exitCode = 1
  await reporter.onTestRunEnd([replay.module('all-skipped.test.ts')], [], 'passed')
  expect(execution.problems.map(({ name }) => name)).toEqual(['Execution failed'])
})

test('a hook that is given nonsense neither throws nor stops the record', async () => {
  const replay = new Replay(readRecording('main', ANY))
  const execution = new FakeExecution()
  const reporter = new RunledgerReporter({}, execution.load)
  reporter.onInit(replay.createVitest())
  reporter.onTestRunStart([{}])
  await expect(reporter.onTestModuleEnd({ id: 'broken' } as never)).resolves.toBeUndefined()
  await end(reporter, replay)
  expect(execution.finishedCount).toBe(1)
})

test('core that cannot be loaded is reported in one line, even when its error has several', async () => {
  const lines: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  try {
    const replay = new Replay(readRecording('main', ANY))
    const error = new Error("Cannot find module '@runledger/core'\nRequire stack:\n- /p/a.cjs")
    const reporter = new RunledgerReporter({}, () => {
      throw error
    })
    reporter.onInit(replay.createVitest())
    replay.play(reporter)
    await end(reporter, replay)
  } finally {
    write.mockRestore()
  }
  expect(lines).toEqual([expect.stringMatching(/^Runledger: .*Cannot find module '@runledger\/core'\n$/)])
  expect(process.exitCode).toBeUndefined()
})

test('an execution has the facts of Vitest, its root and its shard', async () => {
  const replay = new Replay(readRecording('main', '4.1.12'))
  const execution = new FakeExecution()
  await report(replay, execution, { shard: { index: 2, count: 3 } })
  expect(execution.created).toMatchObject([
    { framework: 'vitest', frameworkVersion: '4.1.12', rootDir: '/project', shard: '2/3' },
  ])
})

test('an exit code of 0, and a reported error, need no other problem', async () => {
  const { modules } = new Replay(readRecording('main', ANY))
  const named = async (exitCode: number, errors: { message: string }[]) => {
    const execution = new FakeExecution()
    const reporter = new RunledgerReporter({}, execution.load)
    reporter.onInit(new Replay(readRecording('main', ANY)).createVitest())
    reporter.onTestRunStart([{}])
    process.exitCode = exitCode
    const passed = modules.filter(({ moduleId }) => moduleId.endsWith('all-skipped.test.ts'))
    await reporter.onTestRunEnd(passed, errors, exitCode === 0 ? 'passed' : 'failed')
    process.exitCode = undefined
    return execution.problems.map(({ name }) => name)
  }
  expect(await named(0, [])).toEqual([])
  expect(await named(1, [{ message: 'of nobody' }])).toEqual(['Unhandled error'])
})

test('errors of our own are reported in one line, the first one only', async () => {
  const lines: string[] = []
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0)
  try {
    const replay = new Replay(readRecording('main', ANY))
    const reporter = new RunledgerReporter({}, new FakeExecution().load)
    reporter.onInit(replay.createVitest())
    reporter.onTestRunStart([{}])
    await reporter.onTestModuleEnd({
      id: 'first',
      get moduleId() {
        throw new Error('first cause')
      },
    } as never)
    await reporter.onTestModuleEnd({ id: 'second' } as never)
    await end(reporter, replay)
  } finally {
    write.mockRestore()
  }
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^Runledger: part of this execution is not on record: /)
})

test.each(listRecordings())(
  'modules of %s %s that cannot be mapped are on record with their verdicts',
  async (name, version) => {
    const recording = readRecording(name, version)
    const [intact, broken] = [new FakeExecution(), new FakeExecution()]
    await report(new Replay(recording), intact)
    const replay = new Replay(recording)
    for (const { children } of replay.modules)
      for (const testCase of children.allTests()) Object.assign(testCase, { project: undefined })
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await report(replay, broken)
    print.mockRestore()
    const verdictsOf = ({ suites }: FakeExecution) =>
      suites.map((suite) => `${suite.project} ${suite.file} ${suite.outcome} ${becomesRun(suite)}`)
    expect(verdictsOf(broken)).toEqual(verdictsOf(intact))
  },
)

test('a module that cannot be mapped is on record with its verdict, and says why', async () => {
  const replay = new Replay(readRecording('main', '4.1.12'))
  for (const file of ['kinds.test.ts', 'all-skipped.test.ts']) {
    Object.defineProperty(replay.module(file), 'children', {
      get: () => {
        throw new Error('no children')
      },
    })
  }
  const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const execution = new FakeExecution()
  await report(replay, execution)
  const printed = print.mock.calls.flat().filter((each) => typeof each === 'string')
  print.mockRestore()
  expect(execution.suites.map(({ file }) => file)).toContain('load.test.ts')
  // A file of which nothing ran is no run.
  expect(execution.suite('all-skipped.test.ts')).toMatchObject({ outcome: 'passed', tests: [] })
  const suite = execution.suite('kinds.test.ts')
  expect(suite.outcome).toBe('failed')
  expect(suite.tests[0]?.attempts[0]?.errors).toMatchObject([
    { message: 'a defect of the reporter: no children' },
  ])
  expect(printed.filter((line) => line.includes('only the verdict is on record'))).toHaveLength(1)
})

describe('a module that can be mapped at its end, and not once more at the end of all,', () => {
  /** Plays `main`, whose modules cannot be mapped when it ends; returns what core was given of one, before and after. */
  async function replayBroken(file: string, change: (testModule: TestModule, replay: Replay) => void) {
    const replay = new Replay(readRecording('main', '4.1.12'))
    const execution = new FakeExecution()
    const addSuite = vi.spyOn(execution, 'addSuite')
    const reporter = new RunledgerReporter({}, execution.load)
    reporter.onInit(replay.createVitest())
    replay.play(reporter)
    await new Promise((resolve) => setImmediate(resolve))
    const before = structuredClone(execution.suite(file))
    addSuite.mockClear()
    const testModule = replay.module(file)
    for (const testCase of testModule.children.allTests()) Object.assign(testCase, { project: undefined })
    change(testModule, replay)
    const print = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    await end(reporter, replay)
    print.mockRestore()
    const added = addSuite.mock.calls.filter(([suite]) => suite.file === file).length
    return { before, after: execution.suite(file), added, printed: print.mock.calls.length }
  }

  test('keeps its tests, without facts about them', async () => {
    const { before, after, added, printed } = await replayBroken('kinds.test.ts', () => undefined)
    expect([after, added, printed]).toEqual([before, 0, 0])
  })

  test('has failed when Vitest fails it after all', async () => {
    const { before, after } = await replayBroken('all-skipped.test.ts', (testModule) =>
      Object.assign(testModule, { state: () => 'failed' }),
    )
    expect([before.outcome, after.outcome]).toEqual(['passed', 'failed'])
  })

  test('is given to core again with an error that came later', async () => {
    const { before, after, added } = await replayBroken('kinds.test.ts', ({ moduleId }, { recording }) =>
      recording.end.unhandledErrors.push({ message: 'late', VITEST_TEST_PATH: moduleId }),
    )
    expect([before.problems.length, after.problems.length, added]).toEqual([0, 1, 1])
    expect(after.tests).toEqual(before.tests)
  })
})
