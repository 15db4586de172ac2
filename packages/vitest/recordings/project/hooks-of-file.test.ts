import { afterAll, beforeAll, describe, test } from 'vitest'

beforeAll(() => {
  throw new Error('of the file')
})
test('a', () => {})
test.todo('b')
describe('inner', () => {
  test('c', () => {})
  describe('innermost', () => {
    test('d', ({ skip }) => skip('never said'))
  })
})
