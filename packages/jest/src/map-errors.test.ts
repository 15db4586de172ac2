import { expect, test } from 'vitest'
import { mapError, mapExecErrors } from './map-errors'

test('a message of several lines stays whole, even where a line looks like a frame', () => {
  expect(mapError('Error: line 1\nline 2\n  at nothing\n    at Object.<anonymous> (/p/a.js:3:9)')).toEqual({
    message: 'Error: line 1\nline 2\n  at nothing',
    stack: '    at Object.<anonymous> (/p/a.js:3:9)',
  })
})

test('an error without frames is its message', () => {
  expect(mapError('thrown: undefined')).toEqual({ message: 'thrown: undefined' })
})

test('joined stacks become one error each, and a cause stays with its error', () => {
  const stack = [
    'Error: one',
    '    at /p/a.js:1:1',
    '',
    '[cause]: Error: why',
    '    at /p/a.js:2:2',
    'Error: two',
    'second line',
    '    at /p/a.js:3:3',
  ].join('\n')
  expect(mapExecErrors({ message: '', stack })).toEqual([
    { message: 'Error: one', stack: '    at /p/a.js:1:1\n\n[cause]: Error: why\n    at /p/a.js:2:2' },
    { message: 'Error: two\nsecond line', stack: '    at /p/a.js:3:3' },
  ])
})

test('a plain string is shown with what Jest prints for it', () => {
  expect(mapExecErrors('Cannot find module', '  ● Test suite failed to run\n')).toEqual([
    { message: 'Cannot find module', stack: '● Test suite failed to run' },
  ])
  expect(mapExecErrors('Cannot find module', null)).toEqual([{ message: 'Cannot find module' }])
})

test('a message that its stack does not show is kept', () => {
  expect(mapExecErrors({ message: 'why', stack: 'Error\n    at /p/a.js:1:1' })).toEqual([
    { message: 'why', stack: 'Error\n    at /p/a.js:1:1' },
  ])
})

test.each(['seen    at x (/p/a.js:1:1)', '    at x (/p/a.js:1:1) and more', '    at <anonymous> place'])(
  'a line such as %j belongs to the message',
  (line) => {
    expect(mapError(`Error: one\n${line}\n    at <anonymous>`)).toEqual({
      message: `Error: one\n${line}`,
      stack: '    at <anonymous>',
    })
  },
)

test('an error without a stack is what Jest prints, without the space around it', () => {
  expect(mapExecErrors({ message: ' why \n', stack: ' \n' }, ' printed \n')).toEqual([
    { message: 'why', stack: 'printed' },
  ])
  expect(mapExecErrors({ stack: null })).toEqual([{ message: '' }])
  expect(mapError(' a text without frames \n')).toEqual({ message: 'a text without frames' })
})

test('an empty line within a stack ends no error', () => {
  const stack = 'Error: one\n    at /p/a.js:1:1\n \nError: two\n    at /p/a.js:2:2'
  expect(mapExecErrors({ message: '', stack }).map(({ message }) => message)).toEqual([
    'Error: one',
    'Error: two',
  ])
})

test('frames alone are a stack without a message', () => {
  expect(mapError('    at /p/a.js:1:1')).toEqual({ message: '', stack: '    at /p/a.js:1:1' })
  expect(mapExecErrors({ message: '', stack: '    at /p/a.js:1:1' })).toEqual([
    { message: '', stack: '    at /p/a.js:1:1' },
  ])
})
