import { afterAll, beforeAll, describe, test } from 'vitest'

test('stands alone', () => {})
describe('before', () => {
  beforeAll(() => {
    throw new Error('before all')
  })
  test('a', () => {})
  test.skip('b', () => {})
})
describe('after', () => {
  afterAll(() => {
    throw new Error('after all')
  })
  test('c', () => {})
})
describe('both', () => {
  beforeAll(() => {
    throw new Error('first')
  })
  afterAll(() => {
    throw new Error('last')
  })
  test('d', () => {})
})
