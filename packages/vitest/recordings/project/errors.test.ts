import { expect, test } from 'vitest'

test('throws a text', () => {
  throw 'text'
})
test('throws undefined', () => {
  throw undefined
})
test('throws a record', () => {
  throw { code: 4711, at: { pin: 3 } }
})
test('throws an empty error', () => {
  throw new Error('')
})
test('throws an error without a stack', () => {
  throw Object.assign(new Error('no stack'), { stack: undefined })
})
test('throws an error with a text as stack', () => {
  throw Object.assign(new Error('plain'), { stack: 'plain words\n    at nowhere' })
})
test('throws an error that names itself', () => {
  throw new TypeError('TypeError of the bench')
})
test('throws several', () => {
  throw new AggregateError([new Error('one'), 'two', new Error('three', { cause: 'four' })], 'several')
})
test('throws a chain of causes', () => {
  let error = new Error('cause 8')
  for (let depth = 7; depth > 0; depth -= 1) error = new RangeError(`cause ${depth}`, { cause: error })
  throw error
})
test('has a cause that is no error', () => {
  throw new Error('above', { cause: { code: 7 } })
})
test('differs', () => expect('a\nb').toBe('a\nc'))
