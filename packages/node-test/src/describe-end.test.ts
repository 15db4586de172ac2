import { expect, test } from 'vitest'
import { describeEnd, type EndContext } from './describe-end'

const CONTEXT: EndContext = {
  remarks: ['tests 9', 'pass 5', 'fail 3', 'cancelled 1', 'duration_ms 12.5'],
  hasFailed: true,
  exitCode: 1,
  isCommand: true,
}

test('failed and cancelled tests are no other reason', () => {
  expect(describeEnd(CONTEXT)).toEqual({ hasFailed: true, failedTests: 4, otherReasons: [] })
})

test.each<[string, Partial<EndContext>]>([
  ['the exit code is 13, not 1', { exitCode: 13 }],
  ['the tests were not started by node --test', { isCommand: false }],
  [
    'Error: 71.43% line coverage does not meet threshold of 90%.',
    { remarks: [...CONTEXT.remarks, 'Error: 71.43% line coverage does not meet threshold of 90%.'] },
  ],
])('%s', (reason, changes) => {
  expect(describeEnd({ ...CONTEXT, ...changes }).otherReasons).toEqual([reason])
})
