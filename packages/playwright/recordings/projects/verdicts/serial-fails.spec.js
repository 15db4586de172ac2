const { test } = require('@playwright/test')

test.describe.configure({ mode: 'serial' })
test('passes', () => {})
test('always fails', () => {
  throw new Error('always')
})
test('never begins', () => {})
test.skip('is skipped anyway', () => {})
