import { expect, test } from 'vitest'
import { mapError, mapExecErrors } from './map-error'

const ROOT = '/project'

test('a message of several lines stays whole, even where a line looks like a frame', () => {
  expect(
    mapError('Error: line 1\nline 2\n  at nothing\n    at Object.<anonymous> (/p/a.js:3:9)', ROOT),
  ).toEqual({
    message: 'Error: line 1\nline 2\n  at nothing',
    stack: '    at Object.<anonymous> (/p/a.js:3:9)',
  })
})

test('an error without frames is its message', () => {
  expect(mapError('thrown: undefined', ROOT)).toEqual({ message: 'thrown: undefined' })
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
  expect(mapExecErrors({ message: '', stack }, ROOT)).toEqual([
    { message: 'Error: one', stack: '    at /p/a.js:1:1\n\n[cause]: Error: why\n    at /p/a.js:2:2' },
    { message: 'Error: two\nsecond line', stack: '    at /p/a.js:3:3' },
  ])
})

test('a plain string is shown with what Jest prints for it', () => {
  expect(mapExecErrors('Cannot find module', ROOT, '  ● Test suite failed to run\n')).toEqual([
    { message: 'Cannot find module', stack: '● Test suite failed to run' },
  ])
  expect(mapExecErrors('Cannot find module', ROOT, null)).toEqual([{ message: 'Cannot find module' }])
})

test('a message that its stack does not show is kept', () => {
  expect(mapExecErrors({ message: 'why', stack: 'Error\n    at /p/a.js:1:1' }, ROOT)).toEqual([
    { message: 'why', stack: 'Error\n    at /p/a.js:1:1' },
  ])
})

test.each(['seen    at x (/p/a.js:1:1)', '    at x (/p/a.js:1:1) and more', '    at <anonymous> place'])(
  'a line such as %j belongs to the message',
  (line) => {
    expect(mapError(`Error: one\n${line}\n    at <anonymous>`, ROOT)).toEqual({
      message: `Error: one\n${line}`,
      stack: '    at <anonymous>',
    })
  },
)

test('an error without a stack is what Jest prints, without the space around it', () => {
  expect(mapExecErrors({ message: ' why \n', stack: ' \n' }, ROOT, ' printed \n')).toEqual([
    { message: 'why', stack: 'printed' },
  ])
  expect(mapExecErrors({ stack: null }, ROOT)).toEqual([{ message: '' }])
  expect(mapError(' a text without frames \n', ROOT)).toEqual({ message: 'a text without frames' })
})

test('an empty line within a stack ends no error', () => {
  const stack = 'Error: one\n    at /p/a.js:1:1\n \nError: two\n    at /p/a.js:2:2'
  expect(mapExecErrors({ message: '', stack }, ROOT).map(({ message }) => message)).toEqual([
    'Error: one',
    'Error: two',
  ])
})

test('frames alone are a stack without a message', () => {
  expect(mapError('    at /p/a.js:1:1', ROOT)).toEqual({ message: '', stack: '    at /p/a.js:1:1' })
  expect(mapExecErrors({ message: '', stack: '    at /p/a.js:1:1' }, ROOT)).toEqual([
    { message: '', stack: '    at /p/a.js:1:1' },
  ])
})

test('a difference in the message is one of its parts, without colours', () => {
  const diff = '- Expected  - 1\n+ Received  + 1\n\n  Object {\n-   "a": 2,\n+   "a": 1,\n  }'
  const coloured = diff.replace('- Expected', '\x1b[32m- Expected').replace('\n+', '\x1b[39m\n+')
  const text = `Error: expect(received).toEqual(expected)\n\n${coloured}\n    at /elsewhere/a.js:1:1`
  expect(mapError(text, ROOT).diff).toBe(diff)
  expect(mapError('Error: - Expected much\n+ Received little', ROOT)).not.toHaveProperty('diff')
})

test('the place is the innermost frame in the project, also that of a cause', () => {
  const frames = '    at check (/lib/a.js:1:1)\n    at /project/helper.js:2:3\n    at /project/a.test.js:9:9'
  expect(mapError(`Error: x\n${frames}`, ROOT).location).toEqual({ file: 'helper.js', line: 2, column: 3 })
  const timeout =
    'Error: thrown: "Exceeded timeout"\n    at /lib/a.js:1:1\n\n[cause]: Error\n    at /project/a.js:4:1'
  expect(mapError(timeout, ROOT).location).toEqual({ file: 'a.js', line: 4, column: 1 })
})

test('the values that were compared are parts of the error', () => {
  expect(mapError('Error: no', ROOT, { expected: '3', actual: '2' })).toEqual({
    message: 'Error: no',
    expected: '3',
    actual: '2',
  })
})

test('an inner error ends the message of an error without frames', () => {
  const nested = '[errors]: Error: one\n    at /project/a.js:1:1\n\n[errors]: two'
  expect(mapError(`AggregateError: All promises were rejected\n\n${nested}`, ROOT)).toEqual({
    message: 'AggregateError: All promises were rejected',
    stack: nested,
    location: { file: 'a.js', line: 1, column: 1 },
  })
})

test('causes and inner errors that the text lacks are below its frames', () => {
  const text = 'Error: outer\n    at /lib/a.js:1:1'
  const nested = ['[cause]: Error: why\n    at /project/b.js:2:2', '[cause]: deeper']
  expect(mapError(text, ROOT, { nested }).stack).toBe(`    at /lib/a.js:1:1\n\n${nested.join('\n\n')}`)
  const told = `${text}\n\n[cause]: Error: why\n    at /project/b.js:2:2`
  expect(mapError(told, ROOT, { nested }).stack).toBe(
    '    at /lib/a.js:1:1\n\n[cause]: Error: why\n    at /project/b.js:2:2\n\n[cause]: deeper',
  )
  const inner = `${text}\n\n[errors]: thrown: Object {\n  "code": 1,\n}`
  expect(mapError(inner, ROOT, { nested: ['[errors]: {\n  "code": 1,\n}'] }).stack).not.toContain(
    '[errors]: {',
  )
})

test('a message that only the thrown object has is the message', () => {
  const text = 'Error: \n    at /lib/a.js:1:1'
  expect(mapError(text, ROOT, { message: 'thrown: undefined' }).message).toBe('thrown: undefined')
  expect(mapError('Error: why it failed', ROOT, { message: 'why it failed' }).message).toBe(
    'Error: why it failed',
  )
})

test('a syntax error is where Babel says, or V8', () => {
  const message = '/project/a.test.js: Unexpected token (3:8)\n\n  1 | const a = 1'
  const stack = `Jest encountered an unexpected token\n\nSyntaxError: ${message}\n    at parse (/lib/babel.js:1:1)`
  expect(mapExecErrors({ message, stack }, ROOT)).toMatchObject([
    { location: { file: 'a.test.js', line: 3, column: 9 } },
  ])
  const ofV8 = "Details:\n\n/project/a.test.js:3\n  const = 2\n        ^\n\nSyntaxError: Unexpected token '='"
  const [error] = mapExecErrors({ message: "Unexpected token '='", stack: ofV8 }, ROOT)
  expect(error?.location).toEqual({ file: 'a.test.js', line: 3 })
})

test('a file that does not load has the causes of its error', () => {
  const stack = 'Error: x\n    at /project/a.js:1:1'
  expect(mapExecErrors({ message: 'x', stack, nested: ['[cause]: why'] }, ROOT)).toMatchObject([
    { message: 'Error: x', stack: '    at /project/a.js:1:1\n\n[cause]: why' },
  ])
})
