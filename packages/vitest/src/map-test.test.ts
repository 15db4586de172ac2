import { expect, test } from 'vitest'
import { TEST_API_META } from './find-task'
import type { TestAttempt, TestCase } from './framework-types'
import { mapTest } from './map-test'
import { readTest } from './module-entities'
import { LiveNotes } from './module-notes'

const START_MS = Date.UTC(2026, 0, 1)

const contextOf = (notes = new LiveNotes(Date.now)) => ({
  notes,
  rootDir: '/project',
  file: 'a.test.ts',
  moduleStartedAtMs: START_MS,
})

const attempt = (state: TestAttempt['state']): TestAttempt => ({
  state,
  errors: [],
  duration: 2,
  startTime: START_MS,
  retryIndex: 0,
  repeatIndex: 0,
})

/** An expected failure that passed in the end, after one retry; with the attempts that Vitest 5 lists. */
function mapExpectedFailure(attempts?: TestAttempt[]) {
  const testCase = {
    id: 'file_1',
    name: 'fails',
    options: { fails: true, mode: 'run', retry: 1 },
    parent: { type: 'module' },
    project: { config: { root: '/project', attachmentsDir: '/project/attachments' } },
    result: () => ({ state: 'passed', errors: [] }),
    diagnostic: () => ({ flaky: true, retryCount: 1, startTime: START_MS, duration: 4 }),
    meta: () => ({}),
    ...(attempts && { attempts: () => attempts }),
  } as unknown as TestCase
  return mapTest(readTest(testCase), contextOf())
}

/** A test that passed at its first attempt, with these differences. */
function mapPassed(difference: object, notes = new LiveNotes(Date.now)) {
  const testCase = {
    id: 'file_1',
    name: 'adds',
    options: { mode: 'run' },
    parent: { type: 'suite', name: 'math', parent: { type: 'module' } },
    project: { config: { root: '/project' } },
    result: () => ({ state: 'passed', errors: undefined }),
    diagnostic: () => ({ flaky: false, retryCount: 0, startTime: START_MS + 5, duration: 4 }),
    meta: () => ({}),
    annotations: () => [],
    ...difference,
  } as unknown as TestCase
  return mapTest(readTest(testCase), contextOf(notes))
}

test('a passed test has its titles and times', () => {
  expect(mapPassed({})).toMatchObject({ titles: ['math', 'adds'], startedAtMs: START_MS + 5, durationMs: 4 })
  const untimed = { diagnostic: () => ({ flaky: false, retryCount: 0, startTime: 0, duration: 0 }) }
  expect(mapPassed(untimed)).toMatchObject({ startedAtMs: START_MS, durationMs: 0 })
})

test.each([
  ['an error', { result: () => ({ state: 'passed', errors: [{ message: 'soft' }] }) }, 'errors'],
  ['an annotation', { annotations: () => [{ message: 'see', type: 'notice' }] }, 'output'],
  [
    'its events',
    { meta: () => ({ [TEST_API_META]: [{ kind: 'log', order: 1, atMs: 1, message: 'x' }] }) },
    'events',
  ],
  ['a screenshot', { meta: () => ({ failScreenshotPath: 'a.png' }) }, 'attachments'],
] as const)('a passed test keeps %s', (_, difference, member) => {
  expect(mapPassed(difference).attempts[0]?.[member]).toHaveLength(1)
})

test('a passed test keeps its output and the attempts that Vitest 5 lists', () => {
  const notes = new LiveNotes(Date.now)
  notes.addOutput({ type: 'stdout', content: 'hello', taskId: 'file_1', time: 1, size: 1 })
  expect(mapPassed({}, notes).attempts[0]?.output).toHaveLength(1)
  expect(mapPassed({ attempts: () => [attempt('failed'), attempt('passed')] }).attempts).toHaveLength(2)
})

test('a test is flaky when it passed, after a failed attempt, and Vitest calls it flaky', () => {
  const isFlaky = (state: string, flaky: boolean, ...attempts: TestAttempt[]) =>
    mapPassed({
      result: () => ({ state, errors: [] }),
      diagnostic: () => ({ flaky, retryCount: 1, startTime: START_MS, duration: 4 }),
      attempts: () => attempts,
    }).flaky
  expect(isFlaky('passed', true, attempt('failed'), attempt('passed'))).toBe(true)
  expect(isFlaky('passed', true, attempt('passed'), attempt('passed'))).toBe(false)
  // What a custom runner may tell.
  expect(isFlaky('passed', false, attempt('failed'), attempt('passed'))).toBe(false)
  expect(isFlaky('failed', true, attempt('failed'), attempt('failed'))).toBe(false)
})

test('an expected failure that Vitest 3 or 4 retried has not failed and is not flaky', () => {
  expect(mapExpectedFailure()).toMatchObject({ flaky: false, attempts: [{ status: 'passed' }] })
})

test('an expected failure that first passed is flaky in Vitest 5', () => {
  const mapped = mapExpectedFailure([attempt('failed'), attempt('passed')])
  expect(mapped).toMatchObject({ flaky: true, attempts: [{ status: 'failed' }, { status: 'passed' }] })
})

/** A test that Vitest left pending, in a describe block of this mode in one of that mode. */
function derivePending(inner: string, outer: string) {
  const suite = (mode: string, parent: unknown) => ({ type: 'suite', options: { mode }, parent })
  return readTest({
    options: { mode: 'run' },
    parent: suite(inner, suite(outer, { type: 'module' })),
    result: () => ({ state: 'pending' }),
    diagnostic: () => undefined,
  } as unknown as TestCase).outcome
}

test('a pending test was skipped when a describe block around it is', () => {
  expect(derivePending('skip', 'skip')).toBe('skipped')
  expect(derivePending('run', 'skip')).toBe('skipped')
  expect(derivePending('run', 'run')).toBe('not-run')
})

test('a test that gave a reason for being skipped has skipped itself, all others did not run', () => {
  const outcomeOf = (result: object) =>
    readTest({
      options: { mode: 'run' },
      parent: { type: 'module' },
      result: () => result,
      diagnostic: () => undefined,
    } as unknown as TestCase).outcome
  expect(outcomeOf({ state: 'skipped', note: 'no device' })).toBe('skipped')
  expect(outcomeOf({ state: 'skipped', note: undefined })).toBe('not-run')
  expect(outcomeOf({ state: 'pending', note: 'no device' })).toBe('not-run')
})

test('a test has its place, its tags and its owner', () => {
  const annotations = () => [
    { type: 'warning', message: 'is slow' },
    { type: 'owner', message: ' @power-team ' },
  ]
  const facts = mapPassed({ location: { line: 4, column: 3 }, tags: ['slow', 'db'], annotations })
  expect(facts).toMatchObject({
    location: { file: 'a.test.ts', line: 4, column: 3 },
    tags: ['slow', 'db'],
    owner: '@power-team',
  })
  expect(mapPassed({ location: { line: 4 } }).location).toEqual({ file: 'a.test.ts', line: 4 })
})

test.each([
  ['nothing', {}],
  ['empty texts', { tags: [''], annotations: () => [{ type: 'owner', message: ' ' }] }],
  [
    'other types',
    { location: { line: 'four' }, tags: 7, annotations: () => [{ type: 'owner', message: 7 }] },
  ],
  ['half a line', { location: { line: 4.5, column: 1 }, tags: [7] }],
])('a test for which Vitest reports %s has no place, tags or owner', (_, difference) => {
  const mapped = mapPassed(difference)
  for (const fact of ['location', 'tags', 'owner', 'skipReason']) expect(mapped).not.toHaveProperty(fact)
})

test('a test that did not run has the reason that it was skipped for', () => {
  const mapNoted = (state: string) => mapPassed({ result: () => ({ state, note: 'no device' }) })
  expect(mapNoted('skipped')).toMatchObject({ outcome: 'skipped', skipReason: 'no device' })
  expect(mapNoted('passed')).not.toHaveProperty('skipReason')
})

const FRAME = 'at file:///project/node_modules/@vitest/runner/dist/index.js:2:1'
test.each<[string, boolean, { message: string; stack: string }]>([
  ['a hook in an earlier attempt', true, { message: 'x', stack: frame('wrapper') }],
  ['a hook in an earlier attempt of Vitest 3', true, { message: 'x', stack: frame('callSuiteHook') }],
  ['a hook that timed out', true, { message: 'Hook timed out in 50ms.', stack: FRAME }],
  ['a clean-up function', true, { message: 'x', stack: frame('callCleanupHooks') }],
  ['onTestFinished or onTestFailed', true, { message: 'x', stack: frame('callTestHooks') }],
  ['the set-up of a fixture', true, { message: 'x', stack: frame('resolveFixtureFunction') }],
  ['the tear-down of a fixture', true, { message: 'x', stack: frame('async callFixtureCleanupFrom') }],
  ['the test', false, { message: 'x', stack: frame('runTest') }],
  [
    'a function of the project',
    false,
    { message: 'x', stack: 'Error: x\n    at wrapper (/project/src/wrap.ts:1:1)' },
  ],
])('a failure by %s fails outside of its test: %s', (_, expected, error) => {
  const errors = [{ message: 'connect refused', stack: frame('runTest') }, error]
  const failed = mapPassed({
    options: { mode: 'run', retry: 1 },
    result: () => ({ state: 'failed', errors }),
  })
  expect(failed.attempts.at(-1)?.failsOutside ?? false).toBe(expected)
})

function frame(name: string): string {
  return `Error: x\n    at /project/a.test.ts:1:1\n    at ${name} (file:///project/node_modules/@vitest/runner/dist/index.js:2:1)`
}
