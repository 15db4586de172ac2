import { test } from 'vitest'

test('passes', () => {})
test('skips itself', ({ skip }) => skip('no device'))
test('is slow', () => new Promise((done) => setTimeout(done, 8000)), 30_000)
test('would have run', () => {})
