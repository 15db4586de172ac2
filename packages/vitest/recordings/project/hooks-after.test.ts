import { afterAll, describe, test } from 'vitest'

afterAll(() => {
  throw new Error('of the file')
})
afterAll(() => {
  throw new Error('of the file too')
})
describe('outer', () => {
  describe('inner', () => {
    afterAll(() => {
      throw new Error('of the inner block')
    })
    test('a', () => console.log('from a'))
  })
  test('fails', () => {
    throw new Error('by itself')
  })
})
