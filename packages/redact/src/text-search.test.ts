import { expect, it } from 'vitest'
import { TextSearch } from './text-search'

it('finds what a search one by one finds, longest first', () => {
  let seed = 7
  const draw = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below
  const write = (length: number): string => Array.from({ length }, () => 'ab\u0161é'[draw(4)]).join('')
  let count = 0
  for (let round = 0; round < 500; round += 1) {
    const shortest = 1 + draw(6)
    const texts = [...new Set(Array.from({ length: 1 + draw(8) }, () => write(shortest + draw(9))))]
    const text = write(draw(200))
    const found = new TextSearch(texts.map((each) => ({ text: each, secret: each }))).find(text)
    expect(found.map((each) => each.text).toSorted()).toEqual(
      texts.filter((each) => text.includes(each)).toSorted(),
    )
    expect(found.map((each) => each.text.length)).toEqual(
      found.map((each) => each.text.length).toSorted((a, b) => b - a),
    )
    count += found.length
  }
  expect(count).toBeGreaterThan(200)
})
