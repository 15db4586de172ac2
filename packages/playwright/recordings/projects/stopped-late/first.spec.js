const { test } = require('@playwright/test')

test('fails at last', async () => {
  await new Promise((resolve) => setTimeout(resolve, 1500))
  throw new Error('enough')
})
