const { test } = require('@playwright/test')

test.describe.configure({ mode: 'serial' })
test('first', () => {})
test('second', () => {
  if (test.info().retry === 0) throw new Error('once')
})
test('third', () => {})
