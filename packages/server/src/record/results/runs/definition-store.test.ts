import { expect, it } from 'vitest'
import { DefinitionCache } from './definition-store'

it('remembers names until they are too long together', () => {
  const cache = new DefinitionCache()
  cache.addAll(1, new Map([['short', 1]]))
  expect([cache.get(1, 'short'), cache.get(2, 'short')]).toEqual([1, undefined])
  const names = Array.from({ length: 5_000 }, (_, index) => `${index}${'x'.repeat(9_000)}`)
  cache.addAll(1, new Map(names.map((name, index) => [name, index])))
  expect(names.filter((name) => cache.get(1, name) !== undefined).length).toBeLessThan(2_000)
  expect(cache.get(1, names.at(-1) ?? '')).toBe(4_999)
  expect(cache.get(1, 'short')).toBeUndefined()
})
