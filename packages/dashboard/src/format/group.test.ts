import { expect, it } from 'vitest'
import { formatGroup } from './group'

it('shortens a generated group and leaves a chosen one as it is', () => {
  expect(formatGroup('b45d61b5-101f-47e0-9c2b-cbfc2d7b92bd')).toBe('b45d61b5')
  expect(formatGroup('nightly-2026-11-20')).toBe('nightly-2026-11-20')
})
