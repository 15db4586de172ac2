import { afterEach, beforeEach, expect, test } from 'vitest'

const pause = () => new Promise((resolve) => setTimeout(resolve, 30))

let calls = 0
test('writes in every try', { retry: 2 }, async () => {
  calls += 1
  await pause()
  console.log(`out of try ${calls}`)
  console.error(`err of try ${calls}`)
  await pause()
  expect(calls).toBe(3)
})
let skips = 0
test('fails, then skips itself', { retry: 1 }, async ({ annotate, skip }) => {
  skips += 1
  await annotate(`before the skip ${skips}`, { body: 'Yg==' })
  console.log(`before the skip ${skips}`)
  if (skips > 1) skip('not on a second try')
  throw new Error('first try')
})
test('writes and skips itself', async ({ annotate, skip }) => {
  console.log('reason to follow')
  await annotate('a file of a skipped test', { path: 'curve.csv' })
  await annotate('a remark of a skipped test')
  skip()
})
test.skipIf(true)('is skipped by a condition', () => {})
test.fails('fails softly as expected', { retry: 2 }, () => {
  expect.soft(1).toBe(2)
  expect.soft(1).toBe(3)
})
test.concurrent('side by side 1', async () => {
  await pause()
  console.log('side 1')
})
test.concurrent('side by side 2', async () => {
  console.log('side 2')
  await pause()
})
beforeEach(({ task }) => {
  if (task.name === 'has a hook') throw new Error('before each')
})
afterEach(({ task }) => {
  if (task.name === 'has a hook after') throw new Error('after each')
})
test('has a hook', { retry: 1 }, () => {})
test('has a hook after', { retry: 1 }, () => {
  throw new Error('its own')
})
test('takes too long', { timeout: 30 }, () => new Promise(() => {}))
