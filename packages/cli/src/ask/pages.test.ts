import { expect, it } from 'vitest'
import { readPages } from './pages'

/** Reads a list. The service names a next page after every page except the last one. */
async function read(pages: readonly string[][], { isEndless = false, most = 100 } = {}) {
  const asked: (number | undefined)[] = []
  const rows: string[] = []
  const ask = (cursor = 0) => {
    asked.push(cursor)
    const next = isEndless || cursor + 1 < pages.length ? cursor + 1 : null
    const data = pages[cursor % pages.length] ?? []
    return Promise.resolve({ data, meta: { has_more: next !== null, next_cursor: next } })
  }
  for await (const page of readPages(ask, most)) rows.push(...page)
  return { asked, rows }
}

it('reads all pages of a list', async () => {
  expect(await read([['a', 'b'], ['c'], ['d']])).toEqual({ asked: [0, 1, 2], rows: ['a', 'b', 'c', 'd'] })
})

it('ends although the service always names a next page', async () => {
  expect((await read([['a', 'b']], { isEndless: true, most: 5 })).asked).toEqual([0, 1, 2])
  expect((await read([['a'], []], { isEndless: true })).asked).toEqual([0, 1])
})
