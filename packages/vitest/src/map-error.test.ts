import { expect, test } from 'vitest'
import { mapError } from './map-error'

test('the frames of a stack that Vitest did not parse are kept without the message', () => {
  expect(
    mapError({ name: 'Error', message: 'two\n\nlines', stack: 'Error: two\n\nlines\n    at /p/a.js:1:1\n' }),
  ).toEqual({
    message: 'Error: two\n\nlines',
    stack: '    at /p/a.js:1:1',
  })
})

test('a stack of 100 000 empty lines is read at once', () => {
  const startMs = performance.now()
  expect(mapError({ name: 'Error', message: 'x', stack: `Error: x${'\n'.repeat(100_000)}end` })).toEqual({
    message: 'Error: x',
  })
  expect(performance.now() - startMs).toBeLessThan(1_000)
})

test('a thrown object that is not an error is described by its fields', () => {
  expect(mapError({ code: 4711, at: { pin: 3 }, stacks: [] })).toEqual({
    message: '{ code: 4711, at: { pin: 3 } }',
  })
  expect(mapError({ stacks: [] })).toEqual({ message: 'Error without a message' })
})

test.each([
  ['a text', 'a text'],
  [7, '7'],
  [null, 'null'],
  [undefined, 'undefined'],
])('what is thrown that is no object, such as %j, is its own message', (thrown, message) => {
  expect(mapError(thrown)).toEqual({ message })
})

test('an error without a name is its message, one without a message its name', () => {
  expect(mapError({ message: 'only a message' })).toEqual({ message: 'only a message' })
  expect(mapError({ name: 'OnlyName', message: '' })).toEqual({ message: 'OnlyName' })
  expect(mapError({ name: 7, message: 7, other: 1 })).toEqual({ message: '{ other: 1 }' })
  expect(mapError({ message: '', name: '', stack: '', stacks: [], type: 'x', code: 1 })).toEqual({
    message: '{ code: 1 }',
  })
})

test('parsed frames name their calls, and other entries are left out', () => {
  const at = { file: '/p/a.js', line: 1, column: 2 }
  const stacks = [
    { ...at, method: 'measure' },
    { ...at, method: '' },
    { ...at, method: 7 },
    { file: 7 },
    null,
  ]
  expect(mapError({ message: 'm', stacks }).stack).toBe(
    '    at measure (/p/a.js:1:2)\n    at /p/a.js:1:2\n    at /p/a.js:1:2',
  )
})

test('a text that only mentions a frame has no stack, a stack of frames alone is kept', () => {
  expect(mapError({ message: 'm', stack: 'm    at once' })).toEqual({ message: 'm' })
  expect(mapError({ message: 'm', stack: '    at /p/a.js:1:1' })).toEqual({
    message: 'm',
    stack: '    at /p/a.js:1:1',
  })
})

test('inner errors and causes of any type are below their error', () => {
  expect(mapError({ message: 'm', errors: [{ message: 'one' }, 'two'], cause: null }).stack).toBe(
    '[error 1] one\n[error 2] two',
  )
  expect(mapError({ message: 'm', errors: [null], cause: 0 }).stack).toBe('[error 1] null\nCaused by: 0')
  expect(mapError({ message: 'm', cause: { message: 'Caused by: why' } }).stack).toBe('Caused by: why')
  expect(mapError({ message: 'm', cause: { message: 'it was Caused by:' } }).stack).toBe(
    'Caused by: it was Caused by:',
  )
})
