import { test } from 'vitest'

test('passes', () => {})
test('fails', () => {
  throw new Error('enough')
})
test('would have run', () => {})
