const { test } = require('@playwright/test')

test('passes', () => {})
test('is interrupted', async () => {
  process.kill(process.ppid, 'SIGINT')
  await new Promise(() => {})
})
test('never begins', () => {})
