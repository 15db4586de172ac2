import { expect, test } from 'vitest'
import { JEST_CONFIG, JEST_RESULTS } from '../../../test/support/jest-results'
import type { JestFileResult } from './jest-types'
import { mapExecutionProblems, mapFileProblems } from './map-problems'

const FILE: JestFileResult = {
  testResults: [{ ancestorTitles: [], title: 'a', status: 'passed' }],
  numFailingTests: 0,
  perfStats: { start: 1, end: 2 },
  snapshot: { unchecked: 0, unmatched: 0, fileDeleted: false, uncheckedKeys: [] },
}
const names = (problems: { name: string }[]) => problems.map(({ name }) => name)

test('an execution that Jest passes has no problem', () => {
  expect(mapExecutionProblems(JEST_RESULTS, JEST_CONFIG, 0)).toEqual([])
})

test('no tests at all is a problem unless passWithNoTests is set', () => {
  const empty = { ...JEST_RESULTS, numTotalTestSuites: 0 }
  expect(names(mapExecutionProblems(empty, JEST_CONFIG, 0))).toEqual(['No tests found'])
  expect(mapExecutionProblems(empty, { ...JEST_CONFIG, passWithNoTests: true }, 0)).toEqual([])
  expect(mapExecutionProblems(empty, { ...JEST_CONFIG, onlyChanged: true }, 0)).toEqual([])
})

test('a snapshot file without its test is a problem of the execution unless snapshots are updated', () => {
  const results = { ...JEST_RESULTS, snapshot: { failure: true, filesRemovedList: ['/project/gone.snap'] } }
  expect(names(mapExecutionProblems(results, JEST_CONFIG, 0))).toEqual(['Obsolete snapshot file'])
  expect(
    mapExecutionProblems(
      { ...results, snapshot: { ...results.snapshot, failure: false } },
      { ...JEST_CONFIG, updateSnapshot: 'all' },
      0,
    ),
  ).toEqual([])
})

test('an unexplained failure says what Jest counts', () => {
  const counted = { ...JEST_RESULTS, numFailedTests: 1, numRuntimeErrorTestSuites: 1 }
  expect(mapExecutionProblems(counted, JEST_CONFIG, 0)).toEqual([
    {
      name: 'Test run failed',
      errors: [
        { message: 'Jest counts 1 failed tests, 1 suites that failed to run, and reported none of them' },
      ],
    },
  ])
  expect(mapExecutionProblems({ ...JEST_RESULTS, numTotalTestSuites: 0 }, JEST_CONFIG, 0)).toEqual([
    { name: 'No tests found', errors: [{ message: 'no tests found in /project' }] },
  ])
})

test('a file without a reported start that has an error and no tests failed to load', () => {
  const file = { ...FILE, testResults: [], testExecError: 'broken' }
  expect(names(mapFileProblems(file, undefined, JEST_CONFIG))).toEqual(['Suite failed to load'])
})

test('a broken runner is a problem with its error', () => {
  const runExecError = { message: 'no runner', stack: 'Error: no runner\n    at x (/project/a.js:1:1)' }
  expect(mapExecutionProblems({ ...JEST_RESULTS, runExecError }, JEST_CONFIG, 0)).toEqual([
    {
      name: 'Test run failed',
      errors: [
        {
          message: 'Error: no runner',
          stack: '    at x (/project/a.js:1:1)',
          location: { file: 'a.js', line: 1, column: 1 },
        },
      ],
    },
  ])
})

test('a failure that no suite shows is a problem; one that a suite shows is not', () => {
  const results = { ...JEST_RESULTS, numFailedTests: 2 }
  expect(names(mapExecutionProblems(results, JEST_CONFIG, 0))).toEqual(['Test run failed'])
  expect(mapExecutionProblems(results, JEST_CONFIG, 1)).toEqual([])
})

test('obsolete snapshots are ignored while snapshots are updated', () => {
  const file = { ...FILE, snapshot: { ...FILE.snapshot, unchecked: 2, uncheckedKeys: ['a 1', 'b 1'] } }
  expect(mapFileProblems(file, undefined, JEST_CONFIG)).toEqual([
    { name: 'Obsolete snapshot', errors: [{ message: '2 obsolete: a 1, b 1' }] },
  ])
  expect(mapFileProblems(file, undefined, { ...JEST_CONFIG, updateSnapshot: 'all' })).toEqual([])
})

test('a snapshot mismatch that failed no test fails the suite', () => {
  const snapshot = { ...FILE.snapshot, unmatched: 1 }
  expect(
    names(mapFileProblems({ ...FILE, snapshot }, undefined, { ...JEST_CONFIG, updateSnapshot: 'none' })),
  ).toEqual(['Snapshot mismatch'])
  expect(
    mapFileProblems({ ...FILE, snapshot, numFailingTests: 1 }, undefined, {
      ...JEST_CONFIG,
      updateSnapshot: 'none',
    }),
  ).toEqual([])
})

test('an afterAll error with a stack of 100 000 empty lines is named at once', () => {
  const stack = `Error: x\n    at /p/a.js:1:1${'\n'.repeat(100_000)}end`
  const startMs = performance.now()
  const problems = mapFileProblems({ ...FILE, testExecError: { message: '', stack } }, undefined, JEST_CONFIG)
  expect(performance.now() - startMs).toBeLessThan(1_000)
  expect(names(problems)).toContain('afterAll hook or unhandled error')
})

test('a thrown value that is not an Error belongs to the afterAll hook when the stack is that of its definition', () => {
  const frames = (...places: string[]) => places.map((place) => `\n    at ${place}`).join('')
  const defined = frames(
    'Object.<anonymous> (/project/a.test.js:1:16)',
    'Runtime._execModule (/jest/index.js:9:9)',
  )
  const nameOf = (stack: string) =>
    names(mapFileProblems({ ...FILE, testExecError: { message: '', stack } }, undefined, JEST_CONFIG))
  expect(nameOf(`Error: thrown: "text"${defined}`)).toEqual(['afterAll hook'])
  expect(nameOf(`Error: thrown: undefined${frames('_getError (/jest/utils.js:4:18)')}`)).toEqual([
    'afterAll hook or unhandled error',
  ])
  expect(nameOf(`Error: thrown: "text"\nafterAll (\nRuntime._execModule (`)).toEqual([
    'afterAll hook or unhandled error',
  ])
  expect(nameOf(`Error: it was thrown: "text"${defined}`)).toEqual(['afterAll hook or unhandled error'])
  expect(nameOf(`thrown: "text"${defined}`)).toEqual(['afterAll hook'])
  expect(nameOf(`Error: made while loading${defined}`)).toEqual(['afterAll hook or unhandled error'])
})

test('a folder named like a frame of Jest does not affect the origin of an error', () => {
  const nameOf = (message: string, folder: string) => {
    const stack = `${message}\n    at run (/project/${folder}/a.test.js:1:1)`
    return names(mapFileProblems({ ...FILE, testExecError: { message: '', stack } }, undefined, JEST_CONFIG))
  }
  expect(nameOf('Error: x', 'begun at afterAll (2024)')).toEqual(['afterAll hook or unhandled error'])
  expect(nameOf('Error: thrown: "x"', 'made at Runtime._execModule (1)')).toEqual([
    'afterAll hook or unhandled error',
  ])
})

test('only an error that is known to be of a hook is of that kind', () => {
  const kindOf = (frame: string) => {
    const stack = `Error: x\n    at ${frame} (/jest/circus.js:1:1)`
    return mapFileProblems({ ...FILE, testExecError: { message: '', stack } }, undefined, JEST_CONFIG)[0]
      ?.kind
  }
  expect(kindOf('_callCircusHook')).toBe('hook')
  expect(kindOf('Timeout._onTimeout')).toBeUndefined()
})
