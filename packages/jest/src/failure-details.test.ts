import { describe, expect, it } from 'vitest'
import { readFailureDetail } from './failure-details'

describe('the two values', () => {
  it('are those of the matcher', () => {
    const matcherResult = { pass: false, name: 'toEqual', expected: { a: 1 }, actual: 'text', message: 'no' }
    expect(readFailureDetail({ matcherResult })).toEqual({ expected: '{\n  "a": 1,\n}', actual: 'text' })
  })

  it('are those of an error of jest-jasmine2, which wraps it', () => {
    const error = Object.assign(new Error('no'), { matcherResult: { expected: 1, actual: 2 } })
    expect(readFailureDetail({ passed: false, error })).toEqual({ message: 'no', expected: '1', actual: '2' })
  })

  it('are those of an assertion library, which are fields of its error', () => {
    expect(readFailureDetail({ expected: 1, actual: 2, operator: 'strictEqual' })).toEqual({
      expected: '1',
      actual: '2',
    })
    expect(readFailureDetail({ expected: true })).toEqual({})
  })

  it('are unknown where the matcher has none, or another process lost them', () => {
    expect(readFailureDetail({ matcherResult: { pass: false } })).toEqual({})
    const ofNaN = { expected: 3, actual: null, message: 'Expected: 3\nReceived: NaN' }
    expect(readFailureDetail({ matcherResult: ofNaN })).toEqual({ expected: '3' })
    const ofNull = { expected: 3, actual: null, message: 'Expected: 3\nReceived: null' }
    expect(readFailureDetail({ matcherResult: ofNull })).toEqual({ expected: '3', actual: 'null' })
  })
})

describe('causes and inner errors', () => {
  const listNested = (error: unknown) => readFailureDetail(error).nested

  it('are listed in the order in which they are reached', () => {
    const reason = new TypeError('why', { cause: 'the cable' })
    const error = new AggregateError([new Error('one'), 'two', { code: 3 }], 'several', { cause: reason })
    expect(listNested(error)).toEqual([
      `[cause]: ${reason.stack}`,
      '[cause]: the cable',
      expect.stringMatching(/^\[errors\]: Error: one\n {4}at /),
      '[errors]: two',
      '[errors]: {\n  "code": 3,\n}',
    ])
  })

  it('have the message that a stack lacks', () => {
    const cause = Object.assign(new Error('late'), { stack: '    at x (/a.js:1:1)' })
    expect(listNested({ cause })).toEqual(['[cause]: late\n    at x (/a.js:1:1)'])
    expect(listNested({ cause: { message: 'only this' } })).toEqual(['[cause]: only this'])
  })

  it('are absent for an error that another process has emptied', () => {
    expect(listNested({ cause: {}, errors: 'text' })).toBeUndefined()
  })

  it('end where an error is its own cause, and after the first of very many', () => {
    const circular = new Error('round')
    circular.cause = circular
    expect(listNested(circular)).toBeUndefined()

    let chain: unknown
    for (let depth = 0; depth < 10_000; depth += 1) chain = { message: `cause ${depth}`, cause: chain }
    expect(listNested(chain)).toHaveLength(20)
    expect(
      listNested({ errors: Array.from({ length: 1_000 }, (_, index) => `error ${index}`) }),
    ).toHaveLength(20)
  })
})

const fail = (): never => {
  throw new Error('ran')
}

it.each([
  ['null', null],
  ['undefined', undefined],
  ['a text', 'text'],
  ['a number', 7],
  ['a list', []],
  ['a getter that throws', Object.defineProperty({}, 'matcherResult', { get: fail, enumerable: true })],
  ['a proxy that throws', new Proxy({}, { get: fail, has: fail })],
])('reads nothing of %s', (_, handed) => {
  expect(readFailureDetail(handed)).toEqual({})
})
