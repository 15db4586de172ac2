const { test } = require('@playwright/test')

test('prepares the bench', () => {
  throw new Error('no bench')
})
