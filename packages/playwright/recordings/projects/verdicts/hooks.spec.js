const { test } = require('@playwright/test')

test.describe('before all', () => {
  test.beforeAll(() => {
    throw new Error('no bench')
  })
  test('first', () => {})
  test('second', () => {})
})
