import { expect, test } from 'vitest'
import { mapError } from './map-errors'

test('an error is its message, else what was thrown, else unknown', () => {
  expect(mapError({ message: 'm', value: 'v' })).toEqual({ message: 'm' })
  expect(mapError({ value: 'v' })).toEqual({ message: 'v' })
  expect(mapError({})).toEqual({ message: 'Unknown error' })
})

test('a stack goes on where the message ends, its own empty lines kept', () => {
  expect(mapError({ message: 'm', stack: 'm\n\n    at a\n\n    at b' })).toEqual({
    message: 'm',
    stack: '    at a\n\n    at b',
  })
  expect(mapError({ message: 'm', stack: 'other\n    at a', snippet: ' \n' })).toEqual({
    message: 'm',
    stack: 'other\n    at a',
  })
})

test('a stack whose first line only begins like the message keeps its lines', () => {
  expect(mapError({ message: 'no answer', stack: 'no answer (3 tries)\n\n    at a' })).toEqual({
    message: 'no answer',
    stack: ' (3 tries)\n\n    at a',
  })
})

test('a cause without a stack is its message alone', () => {
  expect(mapError({ message: 'm', cause: { message: 'why', cause: { value: '7' } } })).toEqual({
    message: 'm',
    stack: 'Caused by: why\n\nCaused by: 7',
  })
})
