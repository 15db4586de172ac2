import { describe, test } from 'vitest'

test('never runs', () => {})
describe('while collecting', () => {
  throw new Error('in a describe block')
})
