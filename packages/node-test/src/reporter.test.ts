import path from 'node:path'
import type { Execution, Problem, Suite } from '@runledger/core'
import { expect, it } from 'vitest'
import type { NodeEvent } from './node-events'
import { createReporter } from './reporter'

const FILE = path.resolve('a.test.mjs')
const FILE_TEST = { name: 'a.test.mjs', nesting: 0, file: FILE, line: 1, column: 1 }

interface Told {
  suites: Suite[]
  problems: Problem[]
  finished: number
  /** Why an execution fails beside its failed tests. */
  otherReasons: readonly string[]
}

/** Gives events to a reporter; returns what it tells core. */
async function follow(events: readonly NodeEvent[]): Promise<Told> {
  const told: Told = { suites: [], problems: [], finished: 0, otherReasons: [] }
  const execution: Execution = {
    addSuite: (suite) => void told.suites.push(suite),
    addProblem: (problem) => void told.problems.push(problem),
    settled: () => Promise.resolve(),
    finish: (end) => {
      told.finished += 1
      told.otherReasons = end?.otherReasons ?? []
      return Promise.resolve({ status: 'skipped', reason: 'a test' })
    },
  }
  async function* hand(): AsyncGenerator<NodeEvent> {
    for (const event of events) yield await Promise.resolve(event)
  }
  const load = () => ({ createExecution: () => execution })
  const reporter = createReporter({}, load, () => 1_800_000_000_000)
  let printed = ''
  for await (const text of reporter(hand())) printed += text
  expect(printed).toBe('')
  return told
}

function tell(type: string, data: NodeEvent['data']): NodeEvent {
  return { type: `test:${type}`, data }
}

/** The events of a test that ran. */
function runTest(name: string, error?: unknown): NodeEvent[] {
  const data = { name, nesting: 0, file: FILE, line: 3, column: 1 }
  const details = { duration_ms: 5, ...(error === undefined ? {} : { error }) }
  const passed = error === undefined
  return [
    tell('dequeue', data),
    tell('complete', { ...data, details: { ...details, passed } }),
    tell('start', data),
    tell(passed ? 'pass' : 'fail', { ...data, details }),
  ]
}

it('a file has the verdict that Node gives it, also when all its tests passed', async () => {
  const failure = { failureType: 'testCodeFailure', message: 'test failed', exitCode: 1, signal: null }
  const { suites } = await follow([
    tell('dequeue', FILE_TEST),
    ...runTest('passes'),
    tell('complete', { ...FILE_TEST, details: { duration_ms: 50, passed: false, error: failure } }),
  ])
  expect(suites.at(-1)).toMatchObject({
    file: 'a.test.mjs',
    outcome: 'failed',
    durationMs: 50,
    tests: [{ titles: ['passes'], outcome: 'passed', startedAtMs: 1_799_999_999_995, durationMs: 5 }],
    problems: [
      { name: 'Test file', errors: [{ message: 'the process of the test file ended with exit code 1' }] },
    ],
  })
})

it('a test that Node cancelled is one that did not run only if its turn never came', async () => {
  const error = { failureType: 'cancelledByParent', message: 'cancelled', cause: 'cancelled' }
  const [, , ...reported] = runTest('never began', error)
  const { suites } = await follow([...runTest('began', error), ...reported])
  expect(suites.at(-1)?.outcome).toBe('failed')
  expect(suites.at(-1)?.tests.map(({ titles, outcome }) => [titles[0], outcome])).toEqual([
    ['began', 'failed'],
    ['never began', 'not-run'],
  ])
})

it('an execution that Node fails for no test is a problem of the execution', async () => {
  const { suites, problems } = await follow([
    ...runTest('passes'),
    tell('diagnostic', { nesting: 0, message: 'tests 1' }),
    tell('diagnostic', { nesting: 0, message: 'Error: 40% line coverage does not meet threshold of 90%.' }),
    tell('summary', { success: false }),
  ])
  expect(suites.map(({ outcome }) => outcome)).toEqual(['passed'])
  expect(problems).toEqual([
    {
      name: 'Execution failed',
      errors: [{ message: 'Error: 40% line coverage does not meet threshold of 90%.' }],
    },
  ])
})

it('a test that Node began and never ended is a reason why the execution fails', async () => {
  const lost = (name: string, line: number) =>
    tell('enqueue', { name, nesting: 0, file: FILE, line, column: 1 })
  const { otherReasons } = await follow([
    tell('enqueue', FILE_TEST),
    tell('dequeue', FILE_TEST),
    lost('passes', 3),
    lost('exits', 4),
    lost('never began', 5),
    ...runTest('passes'),
    tell('complete', { ...FILE_TEST, details: { duration_ms: 50, passed: false } }),
  ])
  expect(otherReasons).toContain('"exits" never ended; "never began" never ended')
})

it('a run in watch mode is not recorded', async () => {
  const told = await follow([...runTest('passes'), tell('watch:drained', {})])
  expect(told).toEqual({ suites: [], problems: [], finished: 0, otherReasons: [] })
})

it('events that make no sense keep no other from being put on record', async () => {
  const odd = [tell('pass', undefined), tell('fail', { name: 'x', nesting: 3 }), { type: 'test:unknown' }]
  const { suites, finished } = await follow([...odd, ...runTest('passes')])
  expect(suites.find(({ file }) => file === 'a.test.mjs')?.outcome).toBe('passed')
  expect(finished).toBe(1)
})

it('errors keep their chain, also one that leads back to itself', async () => {
  const thrown = new Error('outer', { cause: new TypeError('inner') })
  Object.assign(thrown.cause as object, { cause: thrown })
  const { suites } = await follow(runTest('fails', { failureType: 'testCodeFailure', cause: thrown }))
  const [error] = suites[0]?.tests[0]?.attempts[0]?.errors ?? []
  expect(error?.message).toBe('Error: outer')
  expect(error?.stack).toMatch(/Caused by: TypeError: inner\n +at [^]*Caused by: Error: outer$/)
})

it('tests that are reported at once after their file ended are placed within it, one after another or side by side', async () => {
  const [A, B] = [path.resolve('a.test.mjs'), path.resolve('b.test.mjs')]
  const HELPER = path.resolve('declare.mjs')
  const fileTest = (file: string) => ({ name: path.basename(file), nesting: 0, file, line: 1, column: 1 })
  const test = (line: number, file: string) => ({ name: 'same', nesting: 0, file, line, column: 1 })
  const done = (data: object, testNumber: number, durationMs: number) => ({
    ...data,
    testNumber,
    details: { duration_ms: durationMs, passed: true },
  })
  const { suites } = await follow([
    ...[A, B].flatMap((file) => [tell('enqueue', fileTest(file)), tell('dequeue', fileTest(file))]),
    tell('complete', done(fileTest(B), 2, 100)),
    tell('dequeue', test(1, HELPER)),
    tell('complete', done(test(1, HELPER), 1, 5)),
    tell('start', test(1, HELPER)),
    tell('pass', done(test(1, HELPER), 1, 5)),
    tell('complete', done(fileTest(A), 1, 1000)),
    tell('dequeue', test(1, HELPER)),
    tell('complete', done(test(1, HELPER), 1, 20)),
    tell('dequeue', test(2, B)),
    tell('dequeue', test(3, B)),
    tell('complete', done(test(3, B), 3, 10)),
    tell('complete', done(test(2, B), 2, 30)),
    ...[test(1, HELPER), test(2, B), test(3, B)].flatMap((each, index) => [
      tell('start', each),
      tell('pass', done(each, index + 2, [20, 30, 10][index] ?? 0)),
    ]),
  ])
  const last = new Map(suites.map((suite) => [suite.file, suite]))
  expect([...last.keys()].toSorted()).toEqual(['a.test.mjs', 'b.test.mjs'])
  expect(last.get('a.test.mjs')?.tests).toHaveLength(1)
  const endMs = 1_800_000_000_000
  const { tests = [] } = last.get('b.test.mjs') ?? {}
  expect(tests.map(({ startedAtMs, durationMs }) => [startedAtMs, durationMs])).toEqual([
    [endMs - 50, 20],
    [endMs - 30, 30],
    [endMs - 10, 10],
  ])
})
