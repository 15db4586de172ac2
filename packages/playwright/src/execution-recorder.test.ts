import type { Suite, SuiteTest } from '@runledger/core'
import { beforeEach, describe, expect, it } from 'vitest'
import { replay, type ReplayedExecution } from '../recordings/replay'

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

    it('measures from the start of the first attempt to the end of the last', () => {
      const { startedAtMs, durationMs, attempts } = findTest(verdicts, 'is flaky')
      const [first, last] = attempts
      expect(first?.startedAtMs).toBe(startedAtMs)
      expect(startedAtMs + durationMs).toBe((last?.startedAtMs ?? 0) + (last?.durationMs ?? 0))
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

it('has a file that cannot be mapped on record with its verdict, and says so', () => {
  const execution = replay('verdicts-1.65.1', {
    change: (recorded) => {
      for (const event of recorded.events)
        if (event.kind === 'testEnd') Object.assign(event.result, { errors: null })
      return recorded
    },
  })
  const intact = replay('verdicts-1.65.1')
  const verdictsOf = ({ suites }: ReplayedExecution) =>
    suites.map(({ file, outcome }) => `${file} ${outcome}`)
  expect(verdictsOf(execution).toSorted()).toEqual(verdictsOf(intact).toSorted())
  expect(execution.unmapped).toContain('verdicts.spec.js')
  const [error] = findSuite(execution.suites, 'verdicts.spec.js').tests[0]?.attempts[0]?.errors ?? []
  expect(error?.message).toMatch(/^a defect of the reporter: /)
})
