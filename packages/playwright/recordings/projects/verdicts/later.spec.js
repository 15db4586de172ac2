const { test } = require('@playwright/test')

test('is hit by the late error', async () => {
  await new Promise((resolve) => setTimeout(resolve, 400))
})
test('comes after it', () => {})
