import { expect, it } from 'vitest'
import { formatGroup, nameGroup } from './group'

it('shortens a generated group and leaves a chosen one as it is', () => {
  expect(formatGroup('b45d61b5-101f-47e0-9c2b-cbfc2d7b92bd')).toBe('b45d61b5')
  expect(formatGroup('nightly-2026-11-20')).toBe('nightly-2026-11-20')
})

it('shortens the digits of a group that a reporter derived from a CI build', () => {
  expect(formatGroup('ci-2296a041b76e68396a4b98f6')).toBe('ci-2296a041')
})

it('says "build" once', () => {
  expect(['build-1742', 'ci-7', 'builder'].map(nameGroup)).toEqual([
    'build-1742',
    'build ci-7',
    'build builder',
  ])
})
