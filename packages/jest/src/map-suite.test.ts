import { beforeEach, describe, expect, test } from 'vitest'
import type { FakeExecution } from '../../../test/support/fake-execution'
import { readRecorded, replay } from '../recordings/replay'

describe.each(['29.7.0', '30.5.2'])('suites of a recorded execution of Jest %s', (version) => {
  let execution: FakeExecution
  beforeEach(async () => {
    execution = await replay(readRecorded(version, 'main'))
  })
  const outcomes = (file: string) => execution.suite(file).tests.map(({ outcome }) => outcome)
  const problems = (file: string) => execution.suite(file).problems.map(({ name }) => name)

  test('maps every kind of test to its outcome, in the order of the file', () => {
    const { tests, outcome } = execution.suite('kinds.test.js')
    expect(tests.map((each) => [each.titles.join(' › '), each.outcome])).toEqual([
      ['outer › inner › passes', 'passed'],
      ['outer › inner › fails', 'failed'],
      ['outer › inner › skipped', 'skipped'],
      ['outer › inner › later', 'todo'],
      ['outer › inner › fails as expected', 'passed'],
      ['outer › inner › passes unexpectedly', 'failed'],
    ])
    expect(outcome).toBe('failed')
    expect(tests[1]?.attempts[0]?.errors[0]?.message).toContain('expect(received).toBe(expected)')
    expect(tests[1]?.attempts[0]?.errors[0]?.stack).toMatch(/^ +at .*kinds\.test\.js:8/)
  })

  test('maps the console output with its origin', () => {
    expect(execution.suite('kinds.test.js').output).toEqual([
      { stream: 'stdout', text: 'hello', origin: 'kinds.test.js:4' },
      { stream: 'stderr', text: 'careful', origin: 'kinds.test.js:5' },
    ])
  })

  test('keeps every attempt of a retried test, from the first start on, for the sum of their durations', () => {
    const flaky = execution.suite('retry.test.js').tests[0]
    expect(flaky).toMatchObject({ titles: ['flaky'], outcome: 'passed', flaky: true })
    expect(flaky?.attempts.map(({ status }) => status)).toEqual(['failed', 'passed'])
    expect(flaky?.attempts[0]?.errors[0]?.message).toBe('Error: first try')
    const [first, last] = flaky?.attempts ?? []
    expect(flaky?.startedAtMs).toBe(first?.startedAtMs)
    expect(flaky?.durationMs).toBe((first?.durationMs ?? 0) + (last?.durationMs ?? 0))
  })

  test('keeps the attempts of tests with equal names separate', () => {
    const same = execution.suite('retry.test.js').tests.filter(({ titles }) => titles[0] === 'same')
    expect(same.map(({ attempts }) => attempts.map(({ status }) => status))).toEqual([
      ['failed', 'failed', 'passed'],
      ['failed', 'passed'],
    ])
    expect(same[0]?.attempts[1]?.errors[0]?.message).toBe('Error: call 3')
    expect(same[1]?.attempts[0]?.errors[0]?.message).toBe('Error: call 2')
  })

  test('a beforeAll error fails the tests below it and leaves the skipped ones skipped', () => {
    expect(outcomes('hooks-before.test.js')).toEqual(['failed', 'skipped', 'todo'])
    expect(problems('hooks-before.test.js')).toEqual([])
  })

  test('each afterAll error is a problem of a suite whose tests all passed', () => {
    const suite = execution.suite('hooks-after.test.js')
    expect(suite.outcome).toBe('failed')
    expect(suite.tests.map(({ outcome }) => outcome)).toEqual(['passed'])
    expect(suite.problems.map(({ name, errors }) => [name, errors[0]?.message])).toEqual([
      ['afterAll hook or unhandled error', 'Error: inner aa'],
      ['afterAll hook', 'Error: aa'],
    ])
    expect(suite.problems[0]?.atMs).toBe(suite.startedAtMs + suite.durationMs)
  })

  test('a file that does not load is a failed suite on our own clock', () => {
    const suite = execution.suite('load.test.js')
    expect(suite).toMatchObject({ outcome: 'failed', tests: [] })
    expect(problems('load.test.js')).toEqual(['Suite failed to load'])
    expect(suite.problems[0]?.errors[0]?.message).toBe(
      "Error: Cannot find module './nope' from 'load.test.js'",
    )
    expect(suite.startedAtMs).toBeGreaterThan(1_700_000_000_000)
    expect(suite.durationMs).toBeGreaterThan(0)
  })

  test('a file without a test is a failed suite', () => {
    expect(problems('empty.test.js')).toEqual(['Suite failed to load'])
  })

  test('a crashed worker leaves the verdicts already seen and names the test under way', () => {
    const suite = execution.suite('crash.test.js')
    expect(suite.outcome).toBe('failed')
    expect(suite.tests.map(({ titles, outcome }) => [titles[0], outcome])).toEqual([
      ['a', 'passed'],
      ['b', 'not-run'],
    ])
    expect(problems('crash.test.js')).toEqual(['Suite failed to run'])
  })

  test('a file that Jest runs again because its worker exited is mapped once', () => {
    const { tests } = execution.suite('exit.test.js')
    expect(tests.map(({ titles, outcome }) => [titles[0], outcome])).toEqual([
      ['a', 'passed'],
      ['exits', 'not-run'],
    ])
  })

  test('an interrupted retry belongs to its test', () => {
    const { tests } = execution.suite('crash-late.test.js')
    const last = tests.filter(({ titles }) => titles[0] === 'last')
    expect(last).toMatchObject([{ outcome: 'failed', attempts: [{ status: 'failed' }] }])
    expect(last[0]?.note).toBe('under way when the suite was cut short')
  })

  test('console output that passes through Node keeps its origin in the file', () => {
    const { output } = execution.suite('console.test.js')
    expect(output.find(({ text }) => text.startsWith('Trace'))?.origin).toBe('console.test.js:8')
    expect(output.find(({ text }) => text === 'from a timer')?.origin).toBeUndefined()
  })

  test('an obsolete snapshot fails a suite whose tests all passed', () => {
    expect(outcomes('obs.test.js')).toEqual(['passed'])
    expect(execution.suite('obs.test.js').outcome).toBe('failed')
    expect(execution.suite('obs.test.js').problems).toMatchObject([
      { name: 'Obsolete snapshot', errors: [{ message: '1 obsolete: gone 1' }] },
    ])
  })

  test('a late error fails the test that Jest blames in the end', () => {
    const failed = execution.suite('late.test.js').tests.filter(({ outcome }) => outcome === 'failed')
    expect(failed.map(({ titles }) => titles[0])).toEqual([version === '29.7.0' ? 'b' : 'a'])
  })

  test('a file of skipped tests passes', () => {
    expect(execution.suite('allskip.test.js')).toMatchObject({ outcome: 'passed', problems: [] })
  })

  test('gives every test that ran a start within its suite', () => {
    for (const suite of execution.suites) {
      for (const { startedAtMs, durationMs } of suite.tests) {
        expect(startedAtMs).toBeGreaterThanOrEqual(suite.startedAtMs)
        expect(startedAtMs + durationMs).toBeLessThanOrEqual(suite.startedAtMs + suite.durationMs + 1)
      }
    }
  })

  test('adds nothing but suites', () => {
    expect(execution.problems).toEqual([])
    expect(execution.finishedCount).toBe(1)
    expect(execution.suites).toHaveLength(36)
  })
})

describe.each(['29.7.0', '30.5.2'])('one file in several projects of Jest %s', (version) => {
  let execution: FakeExecution
  beforeEach(async () => {
    execution = await replay(readRecorded(version, 'projects'))
  })

  test('names projects by display name, else by their position in the configuration', () => {
    expect(execution.suites.map(({ project }) => project).toSorted()).toEqual([
      'named',
      'named',
      'project 1',
      'project 1',
      'project 2',
      'project 2',
      'project 4',
      'project 5',
    ])
  })

  test('keeps the verdicts of each project although their cases interleave', () => {
    const verdicts = (project: string) =>
      execution.suite('a/shared.test.js', project).tests.map(({ outcome }) => outcome)
    expect(verdicts('named')).toEqual(['passed', 'passed', 'passed'])
    expect(verdicts('project 1')).toEqual(['passed', 'passed', 'passed'])
    expect(verdicts('project 2')).toEqual(['passed', 'failed', 'passed'])
    expect(execution.suite('sub/s.test.js').project).toBe('project 4')
  })
})
