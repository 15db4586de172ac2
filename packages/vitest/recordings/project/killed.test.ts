import { test } from 'vitest'

test('passes', () => {})
test('kills its worker', async () => {
  await new Promise((resolve) => setTimeout(resolve, 300))
  process.kill(process.pid, 'SIGKILL')
  await new Promise(() => {})
})
test('would have run', () => {})
