import type { TestError } from '@playwright/test/reporter'
import { describe, expect, it } from 'vitest'
import { mapGlobalErrors, type GlobalContext } from './map-global-errors'

const context: GlobalContext = {
  status: 'failed',
  rootDir: '/project',
  globalSetup: null,
  globalTeardown: null,
  hasFailedSuite: false,
  atMs: 2_000,
}
const thrown = (file?: string): TestError => ({
  message: 'Error: boom',
  stack: 'Error: boom\n    at somewhere',
  ...(file === undefined ? {} : { location: { file, line: 1, column: 1 } }),
})
const NO_TESTS: TestError = { message: 'Error: No tests found', stack: 'Error: No tests found\n' }
const early = (error: TestError) => ({ error, atMs: 1_000, isEarly: true })
const late = (error: TestError) => ({ error, atMs: 1_000, isEarly: false })

describe('mapGlobalErrors', () => {
  it('puts two errors of one file into one suite', () => {
    const { suites, problems } = mapGlobalErrors(
      [
        early(thrown('/project/tests/a.spec.ts')),
        { ...early(thrown('/project/tests/a.spec.ts')), atMs: 1_500 },
      ],
      context,
    )
    expect(suites).toMatchObject([{ file: 'tests/a.spec.ts', startedAtMs: 1_000 }])
    expect(suites[0]?.problems[0]?.errors).toHaveLength(2)
    expect(problems).toEqual([])
  })

  it('puts the errors of two files into two suites', () => {
    const { suites } = mapGlobalErrors(
      [early(thrown('/project/a.spec.ts')), { ...early(thrown('/project/b.spec.ts')), atMs: 1_500 }],
      context,
    )
    expect(suites).toMatchObject([
      { file: 'a.spec.ts', startedAtMs: 1_000 },
      { file: 'b.spec.ts', startedAtMs: 1_500 },
    ])
  })

  it('blames no file for an error after tests began', () => {
    const { suites, problems } = mapGlobalErrors([late(thrown('/project/tests/victim.spec.ts'))], context)
    expect(suites).toEqual([])
    expect(problems).toMatchObject([{ name: 'Unhandled error', atMs: 1_000 }])
  })

  it('records that no tests were found', () => {
    const { problems } = mapGlobalErrors([early(NO_TESTS)], context)
    expect(problems).toMatchObject([
      { name: 'Execution failed to start', errors: [{ message: 'Error: No tests found' }], atMs: 1_000 },
    ])
  })

  it('omits that no tests were found when their file could not be loaded', () => {
    const { suites, problems } = mapGlobalErrors(
      [early(thrown('/project/a.spec.ts')), early(NO_TESTS)],
      context,
    )
    expect(suites).toHaveLength(1)
    expect(problems).toEqual([])
  })

  it('omits that no tests were found when something without a location was thrown', () => {
    const { problems } = mapGlobalErrors([early({ value: "'a text'" }), early(NO_TESTS)], context)
    expect(problems).toMatchObject([{ name: 'Execution failed to start', errors: [{ message: "'a text'" }] }])
  })

  it('keeps a module that was not found beside a file that could not be loaded', () => {
    const message = "Error: Cannot find module '/project/nowhere.js' imported from /project/b.spec.js"
    const { problems } = mapGlobalErrors(
      [early(thrown('/project/a.spec.ts')), early({ message, stack: message }), early(NO_TESTS)],
      context,
    )
    expect(problems.map(({ errors }) => errors[0]?.message)).toEqual([message])
  })

  it('names the global set-up and teardown for what they called', () => {
    const error = {
      message: 'Error: no bench',
      stack:
        'Error: no bench\n    at go (/project/bench.js:1:34)\n    at module.exports (/project/hook.js:1:71)',
      location: { file: '/project/bench.js', line: 1, column: 34 },
    }
    const inSetup = mapGlobalErrors([early(error)], { ...context, globalSetup: '/project/hook.js' })
    expect(inSetup.suites).toEqual([])
    expect(inSetup.problems).toMatchObject([{ name: 'Global set-up' }])
    const inTeardown = mapGlobalErrors([late(error)], { ...context, globalTeardown: '/project/hook.js' })
    expect(inTeardown.problems).toMatchObject([{ name: 'Global teardown' }])
  })

  it('keeps an error without a location beside a file that could not be loaded', () => {
    const { problems } = mapGlobalErrors([early(thrown('/project/a.spec.ts')), early(thrown())], context)
    expect(problems).toHaveLength(1)
  })

  it('omits the runner’s announcement when a suite has failed anyway', () => {
    const notice = late({ message: 'Testing stopped early after 1 maximum allowed failures.' })
    expect(mapGlobalErrors([notice], { ...context, hasFailedSuite: true }).problems).toEqual([])
    expect(mapGlobalErrors([notice], context).problems).toHaveLength(1)
  })

  it.each([
    ['failed', 'Execution failed'],
    ['timedout', 'Global timeout'],
    ['interrupted', 'Interrupted'],
  ] as const)('puts an execution that is %s without a failed suite on record', (status, name) => {
    expect(mapGlobalErrors([], { ...context, status }).problems).toMatchObject([{ name, atMs: 2_000 }])
  })

  it.each([
    ['timedout', 'The execution ran out of time (globalTimeout).'],
    ['interrupted', 'The execution was interrupted.'],
  ] as const)('explains an execution that is %s', (status, message) => {
    expect(mapGlobalErrors([], { ...context, status }).problems[0]?.errors).toEqual([{ message }])
  })

  it('names an announcement after the global timeout, but not a thrown error', () => {
    const notice = late({ message: 'Timed out waiting 4s for the test suite to run' })
    const names = (...args: Parameters<typeof mapGlobalErrors>) =>
      mapGlobalErrors(...args).problems.map(({ name }) => name)
    expect(names([notice], { ...context, status: 'timedout' })).toEqual(['Global timeout'])
    expect(names([notice], context)).toEqual(['Unhandled error'])
    expect(names([late(thrown())], { ...context, status: 'timedout' })).toEqual(['Unhandled error'])
  })

  it('takes an error with only a location for a thrown one', () => {
    const located = late({ message: 'm', location: { file: '/project/a.ts', line: 1, column: 1 } })
    expect(mapGlobalErrors([located], { ...context, hasFailedSuite: true }).problems).toHaveLength(1)
  })

  it.each([
    ['No tests found', 0],
    ['Error: they say: No tests found', 1],
  ])('takes %j beside another error for %i problems of its own', (message, count) => {
    const { problems } = mapGlobalErrors(
      [early(thrown('/project/a.spec.ts')), early({ message, stack: message })],
      context,
    )
    expect(problems).toHaveLength(count)
  })

  it('adds nothing when a suite explains the failure', () => {
    const { suites, problems } = mapGlobalErrors([], { ...context, hasFailedSuite: true })
    expect([...suites, ...problems]).toEqual([])
  })

  it('fails nothing in an execution that the framework passes', () => {
    const { suites, problems } = mapGlobalErrors([late(thrown())], { ...context, status: 'passed' })
    expect([...suites, ...problems]).toEqual([])
  })
})
