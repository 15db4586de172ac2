const { test } = require('@playwright/test')

test('mocks the date and leaves it mocked', () => {
  Date.now = () => 1000
})
test('runs after the date was mocked', async () => {
  await new Promise((resolve) => setTimeout(resolve, 20))
})
