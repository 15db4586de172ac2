import { describe, expect, it } from 'vitest'
import { readCaseEvent, readFileResult } from './read-runner-result'

const NOW_MS = Date.UTC(2026, 10, 23)

describe('readFileResult', () => {
  it('leaves a result of Jest’s own runner as it is', () => {
    const result = {
      testResults: [
        {
          ancestorTitles: ['outer'],
          title: 'adds',
          status: 'failed',
          duration: 3,
          failureMessages: ['Error: no'],
          location: { line: 3, column: 1 },
          invocations: 2,
          retryReasons: ['Error: first'],
          startAt: NOW_MS,
        },
      ],
      numFailingTests: 1,
      numPassingTests: 2,
      testExecError: { message: 'late', stack: 'Error: late' },
      failureMessage: 'printed',
      perfStats: { start: NOW_MS, end: NOW_MS + 5 },
      console: [{ message: 'said', origin: 'at x', type: 'log' }],
      snapshot: { unchecked: 1, unmatched: 2, fileDeleted: true, uncheckedKeys: ['gone 1'] },
    }
    const [test] = result.testResults
    expect(readFileResult(result)).toEqual({ ...result, testResults: [{ ...test, details: [] }] })
  })

  it.each([null, undefined, 7, 'x', [], {}])(
    'takes %j for a passed file of which nothing is known',
    (handed) => {
      expect(readFileResult(handed)).toEqual({
        testResults: [],
        numFailingTests: 0,
        numPassingTests: 0,
        testExecError: undefined,
        failureMessage: undefined,
        perfStats: undefined,
        console: [],
        snapshot: { unchecked: 0, unmatched: 0, fileDeleted: false, uncheckedKeys: [] },
      })
    },
  )

  it.each([
    [0, 0],
    [2, 2],
    ['2', 2],
    [true, 1],
    [null, 0],
    [-1, 0],
    [NaN, 0],
    ['many', 0],
  ])('counts failed and passed tests as Jest does: %j is %j', (given, expected) => {
    const { numFailingTests, numPassingTests } = readFileResult({
      numFailingTests: given,
      numPassingTests: given,
    })
    expect([numFailingTests, numPassingTests]).toEqual([expected, expected])
  })

  it.each([
    ['', undefined],
    [0, undefined],
    [false, undefined],
    ['thrown', 'thrown'],
    [7, '7'],
    [['x'], "[ 'x' ]"],
    [{}, { message: '', stack: undefined }],
    [
      { message: null, stack: null },
      { message: '', stack: undefined },
    ],
    [
      { message: 7, stack: 'at x' },
      { message: '7', stack: 'at x' },
    ],
    [new Error('x', { cause: 'why' }), { message: 'x', stack: expect.any(String), nested: ['[cause]: why'] }],
  ])('takes an error of the file to be one when Jest does: %j is %j', (given, expected) => {
    expect(readFileResult({ testExecError: given }).testExecError).toEqual(expected)
  })

  it.each([
    [NOW_MS, NOW_MS + 1, true],
    [Date.UTC(2000, 0, 1), Date.UTC(2000, 0, 1), true],
    [0, 0, false],
    [633.6, 700.1, false],
    [NOW_MS, 700, false],
    [NOW_MS, null, false],
    [NOW_MS, 1e300, false],
    [String(NOW_MS), NOW_MS, false],
    [Date.UTC(2100, 0, 1), Date.UTC(2100, 0, 1), false],
  ])('keeps times since the epoch only: %j to %j', (start, end, isKept) => {
    expect(readFileResult({ perfStats: { start, end } }).perfStats).toEqual(
      isKept ? { start, end } : undefined,
    )
  })

  it('reads what it can of a test', () => {
    const handed = {
      testResults: [
        null,
        { title: 7, status: null, ancestorTitles: 'outer', failureMessages: 'one', duration: -1 },
      ],
    }
    const unknown = { duration: undefined, invocations: 1, retryReasons: [], details: [] }
    expect(readFileResult(handed).testResults).toEqual([
      { ancestorTitles: [], title: '', status: '', failureMessages: [], ...unknown },
      { ancestorTitles: ['outer'], title: '7', status: '', failureMessages: ['one'], ...unknown },
    ])
  })

  it('reads beside each failure message what Jest reports of its error', () => {
    const failureDetails = [null, { matcherResult: { expected: 3, actual: 2 } }, 'text']
    const [test] = readFileResult({
      testResults: [{ failureMessages: ['a', 'b', 'c'], failureDetails }],
    }).testResults
    expect(test?.details).toEqual([{}, { expected: '3', actual: '2' }, {}])
  })

  it.each([
    [
      { line: 3, column: 1 },
      { line: 3, column: 1 },
    ],
    [{ line: 3, column: 0 }, undefined],
    [{ line: '3', column: 1 }, undefined],
    [{ line: 3 }, undefined],
    [null, undefined],
    ['3:1', undefined],
  ])('reads the place %j of a test as %j', (location, expected) => {
    expect(readFileResult({ testResults: [{ location }] }).testResults[0]?.location).toEqual(expected)
  })

  it.each([
    [3, 3],
    [2.5, 2],
    [0, 1],
    [-1, 1],
    ['2', 1],
    [1e9, 1_000],
    [Infinity, 1],
  ])('reads %j invocations as %j', (invocations, expected) => {
    expect(readFileResult({ testResults: [{ invocations }] }).testResults[0]?.invocations).toBe(expected)
  })

  it.each([
    [0, 0],
    [1.5, 1.5],
    [-1, undefined],
    [Date.UTC(2100, 0, 1), undefined],
    [null, undefined],
  ])('reads a duration of %j as %j', (duration, expected) => {
    expect(readFileResult({ testResults: [{ duration }] }).testResults[0]?.duration).toBe(expected)
  })
})

describe('readCaseEvent', () => {
  it('reads the start of a test case, which has no status', () => {
    expect(readCaseEvent({ ancestorTitles: ['a'], title: 'b', startedAt: NOW_MS })).toEqual({
      ancestorTitles: ['a'],
      title: 'b',
      startedAt: NOW_MS,
    })
  })

  it('reads its result', () => {
    expect(readCaseEvent({ ancestorTitles: [], title: 'b', status: 'passed', startedAt: 5 })).toMatchObject({
      title: 'b',
      status: 'passed',
      startedAt: undefined,
      invocations: 1,
    })
  })
})
