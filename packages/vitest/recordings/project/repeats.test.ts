import { expect, test } from 'vitest'

let calls = 0
test('is repeated and retried', { repeats: 2, retry: 1 }, async ({ annotate }) => {
  calls += 1
  console.log(`call ${calls}`)
  await annotate(`Reading ${calls}`, { body: 'YQ==', contentType: 'text/plain' })
  expect(calls).not.toBe(2)
})
test('is repeated', { repeats: 1 }, () => {})
