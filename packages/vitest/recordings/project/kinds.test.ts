import { describe, expect, test } from 'vitest'

describe('outer › x', () => {
  describe('inner', () => {
    test('passes', () => console.log('from the test'))
    test('fails', () => expect({ a: 1 }).toEqual({ a: 2 }))
    test('throws with a cause', () => {
      throw new Error('above', { cause: new TypeError('below') })
    })
    test.skip('is skipped', () => {})
    test.todo('comes later')
    test('skips itself', (context) => context.skip('no device'))
    test.fails('fails as expected', () => expect(1).toBe(2))
    test.fails('passes unexpectedly', () => {})
    test('same', () => {})
    test('same', () => {})
  })
})
console.log('from the file')
