import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Suite, SuiteTest } from '@runledger/core'
import type { FullConfig, Suite as PlaywrightSuite, TestCase, TestResult } from '@playwright/test/reporter'
import { HookGuard } from '@runledger/reporter-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { becomesRun } from '../../../test/support/suites'
import { listRecordings, replay, type Recorded, type ReplayedExecution } from '../recordings/replay'
import { ExecutionRecorder } from './execution-recorder'

describe.each(['1.40.1', '1.65.1'])('an execution of Playwright %s', (version) => {
  describe('with verdicts of every kind', () => {
    let execution: ReplayedExecution
    let suites: Suite[]
    let verdicts: Suite
    beforeEach(() => {
      execution = replay(`verdicts-${version}`)
      suites = execution.suites
      verdicts = findSuite(suites, 'verdicts.spec.js')
    })

    it.each([
      ['passes', 'passed', 1],
      ['fails', 'failed', 2],
      ['is flaky', 'passed', 2],
      ['fails, then is skipped', 'failed', 2],
      ['fails as expected', 'passed', 1],
      ['passes unexpectedly', 'failed', 2],
      ['is skipped', 'skipped', 0],
      ['is to be mended', 'skipped', 0],
      ['is skipped while it runs', 'skipped', 0],
      ['times out', 'failed', 2],
    ])('takes the test that %s as %s with %i attempts', (title, outcome, attempts) => {
      const test = findTest(verdicts, title)
      expect(test.outcome).toBe(outcome)
      expect(test.attempts).toHaveLength(attempts)
    })

    it('calls a test flaky only if it failed and then passed', () => {
      const flaky = suites.flatMap(({ tests }) => tests.filter((test) => test.flaky))
      expect(flaky.map(({ titles }) => titles.join(' ')).sort()).toEqual([
        'fails as expected at last',
        'is flaky',
        'is hit by the late error',
        'second',
      ])
    })

    it('measures the attempts without the waits between them', () => {
      const { startedAtMs, durationMs, attempts } = findTest(verdicts, 'is flaky')
      const [first, last] = attempts
      expect(first?.startedAtMs).toBe(startedAtMs)
      expect(durationMs).toBe((first?.durationMs ?? 0) + (last?.durationMs ?? 0))
      expect(startedAtMs + durationMs).toBeLessThan(last?.startedAtMs ?? 0)
    })

    it('keeps an error with its snippet, stack and causes', () => {
      expect(readError(findTest(verdicts, 'throws what is no error')).message).toContain('a text')
      const { message, stack } = readError(findTest(verdicts, 'has a cause'))
      expect(message).toBe('Error: outer')
      expect(stack).toContain('verdicts.spec.js')
      if (version !== '1.40.1') expect(stack).toContain('Caused by: Error: inner')
    })

    it('keeps output with its test and time', () => {
      const [attempt] = findTest(verdicts, 'passes').attempts
      expect(attempt?.output).toEqual([
        { stream: 'stdout', text: 'inside a test\n', atMs: expect.any(Number) as number },
      ])
    })

    it('keeps attachments of any name, except its own private ones', () => {
      const [attempt] = findTest(verdicts, 'with attachments', 'attaches').attempts
      expect(attempt?.attachments.map(({ name }) => name)).toEqual(['bytes', 'attachment', 'gone'])
    })

    it('starts no test in 1970 when the one before mocked the date', () => {
      for (const { tests, startedAtMs } of suites) {
        expect(tests.map((test) => new Date(test.startedAtMs).getUTCFullYear())).not.toContain(1970)
        expect(new Date(startedAtMs).getUTCFullYear()).not.toBe(1970)
      }
    })

    it('leaves out a file without a test to run', () => {
      expect(findSuite(suites, 'skipped.spec.js')).toMatchObject({ outcome: 'passed', problems: [] })
    })

    it('adds a retried serial file only after all its tests ran again', () => {
      const serial = findSuite(suites, 'serial.spec.js')
      expect(serial.outcome).toBe('passed')
      expect(serial.tests.map(({ outcome, attempts }) => [outcome, attempts.length])).toEqual([
        ['passed', 2],
        ['passed', 2],
        // No worker came to it the first time.
        ['passed', 1],
      ])
    })

    it('fails the first test after a failed beforeAll hook and leaves the others not run', () => {
      const { outcome, tests } = findSuite(suites, 'hooks.spec.js')
      expect(outcome).toBe('failed')
      expect(tests.map((test) => test.outcome)).toEqual(['failed', 'not-run'])
    })

    it('fails a test that ends its worker and keeps the others', () => {
      const { tests } = findSuite(suites, 'crash.spec.js')
      expect(tests.map((test) => test.outcome)).toEqual(['failed', 'passed'])
    })

    it('adds every suite as soon as it has run', () => {
      const { order, problems } = execution
      expect(order.at(-1)).toBe('end')
      expect(new Set(order).size).toBe(order.length)
      expect(problems).toEqual([])
    })
  })

  it('adds a suite for each file that cannot be loaded', () => {
    const { suites, problems } = replay(`load-error-${version}`)
    expect(suites.map(({ file }) => file)).toEqual(['broken.spec.js', 'throws.spec.js'])
    for (const suite of suites) {
      expect(suite).toMatchObject({
        outcome: 'failed',
        tests: [],
        problems: [{ name: 'Suite failed to load' }],
      })
    }
    expect(problems).toEqual([])
  })

  it('adds an error of the global set-up as a problem', () => {
    const { suites, problems } = replay(`global-setup-${version}`)
    expect(suites).toEqual([])
    expect(problems).toMatchObject([{ name: 'Global set-up', errors: [{ message: 'Error: no bench' }] }])
  })

  it('leaves the suites their verdicts when the global teardown fails', () => {
    const { suites, problems } = replay(`global-teardown-${version}`)
    expect(suites.map(({ outcome }) => outcome)).toEqual(['passed'])
    expect(problems.map(({ name }) => name)).toEqual(['Global teardown'])
  })

  it.each(['global-timeout', 'interrupted', 'max-failures'])('fails a suite cut half-way: %s', (cause) => {
    const { suites, problems } = replay(`${cause}-${version}`)
    expect(suites).toHaveLength(1)
    expect(suites[0]).toMatchObject({ outcome: 'failed', problems: [{ name: 'Interrupted' }] })
    expect(suites[0]?.tests[0]?.outcome).toBe('passed')
    expect(suites[0]?.tests[2]).toMatchObject({ outcome: 'not-run', attempts: [] })
    expect(problems).toEqual([])
  })

  it('ends an interrupted attempt with its execution when it is merged days later', () => {
    const [live] = replay(`global-timeout-${version}`).suites
    const [merged] = replay(`global-timeout-${version}`, { daysLater: 2 }).suites
    expect(Math.abs((merged?.durationMs ?? 0) - (live?.durationMs ?? 0))).toBeLessThan(100)
  })

  it('keeps the attempt of an interrupted test', () => {
    const [suite] = replay(`interrupted-${version}`).suites
    expect(suite?.tests[1]).toMatchObject({ outcome: 'not-run', attempts: [{ status: 'interrupted' }] })
    expect(suite?.tests[1]?.attempts[0]?.durationMs).toBeGreaterThanOrEqual(0)
  })
})

function findSuite(suites: readonly Suite[], file: string): Suite {
  const suite = suites.find((candidate) => candidate.file === file)
  if (!suite) throw new Error(`no suite ${file}`)
  return suite
}

function findTest(suite: Suite, ...titles: string[]): SuiteTest {
  const test = suite.tests.find((candidate) => candidate.titles.join() === titles.join())
  if (!test) throw new Error(`no test ${titles.join(' › ')}`)
  return test
}

function readError(test: SuiteTest): { message: string; stack?: string | undefined } {
  const error = test.attempts[0]?.errors[0]
  if (!error) throw new Error('no error')
  return error
}

/** Leaves nothing of each result that could be mapped. */
function breakResults(recorded: Recorded): Recorded {
  for (const { files } of recorded.projects)
    for (const { tests } of files) for (const test of tests) Object.assign(test, { titlePath: null })
  return recorded
}

it.each(listRecordings())('has files of %s that cannot be mapped on record with their verdicts', (name) => {
  const verdictsOf = ({ suites }: ReplayedExecution) =>
    suites.map((suite) => `${suite.project} ${suite.file} ${suite.outcome} ${becomesRun(suite)}`)
  const intact = verdictsOf(replay(name))
  expect(verdictsOf(replay(name, { change: breakResults })).toSorted()).toEqual(intact.toSorted())
})

it('says of a file that cannot be mapped what the defect is', () => {
  const execution = replay('verdicts-1.65.1', { change: breakResults })
  expect(execution.unmapped).toContain('verdicts.spec.js')
  const [error] = findSuite(execution.suites, 'verdicts.spec.js').tests[0]?.attempts[0]?.errors ?? []
  expect(error?.message).toMatch(/^a defect of the reporter: /)
})

it('fails a file that cannot be mapped when the execution was interrupted in it', () => {
  const [suite] = replay('interrupted-1.65.1', { change: breakResults }).suites
  const [intact] = replay('interrupted-1.65.1').suites
  expect(suite?.outcome).toBe('failed')
  expect(suite?.startedAtMs).toBeGreaterThan(intact?.startedAtMs ?? Infinity)
})

const START_MS = Date.UTC(2026, 10, 20, 9)

describe('an execution with one test', () => {
  let project: string
  let test: TestCase
  let result: TestResult
  let suites: Suite[]
  beforeEach(() => {
    project = mkdtempSync(path.join(tmpdir(), 'runledger-recorder-'))
    suites = []
    result = createResult()
    test = createTest(path.join(project, 'test-results'), result)
  })
  afterEach(() => rmSync(project, { recursive: true }))

  function createRecorder({ isReplay = false, files = [[test]] } = {}): ExecutionRecorder {
    return new ExecutionRecorder({
      config: { preserveOutput: 'never', globalSetup: null, globalTeardown: null } as FullConfig,
      root: createRoot(files),
      rootDir: '/project',
      clock: { nowMs: () => START_MS, isReplay },
      guard: new HookGuard(() => undefined),
      execution: {
        prepare: () => undefined,
        addSuite: (suite) => suites.push(suite),
        addProblem: () => undefined,
      },
    })
  }

  /** Attaches a file in the output folder; returns its path. */
  function attachTrace(): string {
    const folder = path.join(project, 'test-results/reads')
    mkdirSync(folder, { recursive: true })
    const file = path.join(folder, 'trace.zip')
    writeFileSync(file, 'trace')
    result.attachments.push({ name: 'trace', contentType: 'application/zip', path: file })
    return file
  }

  const findRecordedPath = () => {
    const attachment = suites[0]?.tests[0]?.attempts[0]?.attachments[0]
    return attachment && 'path' in attachment ? attachment.path : ''
  }

  it('has tests, unlike one without a file', () => {
    expect(createRecorder().hasTests).toBe(true)
    expect(createRecorder({ files: [] }).hasTests).toBe(false)
  })

  it('keeps a file from the end of the step in which it was attached', () => {
    const recorder = createRecorder()
    recorder.beginTest(test, result)
    const file = attachTrace()
    recorder.endStep(test, result)
    rmSync(file)
    recorder.endTest(test, result)
    expect(readFileSync(findRecordedPath(), 'utf8')).toBe('trace')
  })

  it('keeps a file that was attached after the last step until it is closed', () => {
    const recorder = createRecorder()
    recorder.beginTest(test, result)
    const file = attachTrace()
    recorder.endTest(test, result)
    rmSync(file)
    expect(readFileSync(findRecordedPath(), 'utf8')).toBe('trace')
    recorder.close()
    expect(existsSync(findRecordedPath())).toBe(false)
  })

  it('reads the files of a merged report from where Playwright unpacked them', () => {
    const recorder = createRecorder({ isReplay: true })
    recorder.beginTest(test, result)
    const file = attachTrace()
    recorder.endStep(test, result)
    recorder.endTest(test, result)
    expect(findRecordedPath()).toBe(file)
  })

  it.each([
    ['one test, because one ran', 'expected', 1],
    ['no test, because none ran', 'skipped', 0],
  ] as const)('has of a file that passed and cannot be mapped %s', (_, outcome, count) => {
    const skipped = createTest(project, { ...createResult(), status: 'skipped' })
    Object.assign(skipped, { expectedStatus: 'skipped', outcome: () => 'skipped' })
    Object.assign(test, { outcome: () => outcome })
    Object.assign(test, { titlePath: () => null })
    const recorder = createRecorder({ files: [[skipped, test]] })
    for (const each of [skipped, test]) recorder.endTest(each, each.results[0] as TestResult)
    expect(suites).toMatchObject([{ outcome: 'passed' }])
    expect(suites[0]?.tests).toHaveLength(count)
  })

  it('gives output before a test to the file of that test', () => {
    const recorder = createRecorder()
    recorder.addOutput({ stream: 'stdout', text: 'loads\n' }, undefined)
    recorder.beginTest(test, result)
    recorder.endTest(test, result)
    expect(suites[0]?.output).toEqual([{ stream: 'stdout', text: 'loads\n', atMs: START_MS }])
  })

  it('gives output before a test that is in no file to no file', () => {
    const recorder = createRecorder()
    recorder.addOutput({ stream: 'stdout', text: 'loads\n' }, undefined)
    recorder.beginTest({ ...test }, createResult())
    recorder.beginTest(test, result)
    recorder.endTest(test, result)
    expect(suites[0]?.output).toEqual([])
  })
})

function createResult(): TestResult {
  const result = {
    status: 'passed',
    startTime: new Date(START_MS),
    duration: 0,
    workerIndex: 0,
    errors: [],
    attachments: [],
    steps: [],
  }
  return result as unknown as TestResult
}

function createTest(outputDir: string, result: TestResult): TestCase {
  const test = {
    parent: { project: () => ({ outputDir }) },
    titlePath: () => ['', '', 'a.spec.ts', 'reads'],
    outcome: () => 'expected',
    expectedStatus: 'passed',
    annotations: [],
    retries: 0,
    results: [result],
  }
  return test as unknown as TestCase
}

function createRoot(files: TestCase[][]): PlaywrightSuite {
  const suites = files.map((tests, index) => ({
    location: { file: `/project/${index}.spec.ts` },
    allTests: () => tests,
  }))
  return { suites: [{ project: () => ({ name: '' }), suites }] } as unknown as PlaywrightSuite
}
