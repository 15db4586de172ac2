import { expect, test } from 'vitest'
import { mapError } from './map-error'

test('the frames of a stack that Vitest did not parse are kept without its message', () => {
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

test('an object that was thrown in the place of an error is told by its fields', () => {
  expect(mapError({ code: 4711, at: { pin: 3 }, stacks: [] })).toEqual({
    message: '{ code: 4711, at: { pin: 3 } }',
  })
  expect(mapError({ stacks: [] })).toEqual({ message: 'Error without a message' })
})
