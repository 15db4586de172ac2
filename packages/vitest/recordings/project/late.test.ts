import { test } from 'vitest'

test('passes, then something throws', async () => {
  setTimeout(() => {
    throw new Error('late exception')
  }, 5)
  void Promise.reject('a text')
  await new Promise((resolve) => setTimeout(resolve, 50))
})
