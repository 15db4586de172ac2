import { test } from 'vitest'

test('leaves a rejection', async () => {
  void Promise.reject(new Error('nobody caught it'))
  await new Promise((resolve) => setTimeout(resolve, 20))
})
