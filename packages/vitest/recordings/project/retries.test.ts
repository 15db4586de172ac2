import { expect, test } from 'vitest'

let calls = 0
test('flaky', { retry: 2 }, async ({ annotate }) => {
  calls += 1
  const body = Buffer.from(`call ${calls}`).toString('base64')
  await annotate(`Reading ${calls}`, { body, contentType: 'text/plain' })
  expect(calls).toBe(3)
})
test('never', { retry: 1 }, () => {
  expect.soft(1).toBe(2)
  expect.soft(1).toBe(3)
})
test('fails as expected', { retry: 1, fails: true }, () => expect(1).toBe(2))
test('links', async ({ annotate }) => {
  await annotate('manual', { path: 'https://example.com/manual.pdf' })
  await annotate('Curve of 3.3 V', { path: 'curve.csv' })
})
