import { test } from 'vitest'

test('fails soon', async () => {
  await new Promise((done) => setTimeout(done, 3000))
  throw new Error('enough')
})
