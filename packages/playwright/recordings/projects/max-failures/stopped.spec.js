const { test } = require('@playwright/test')

test('passes', () => {})
test('fails', () => {
  throw new Error('enough')
})
test('never begins', () => {})
