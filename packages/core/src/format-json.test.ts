import { expect, it } from 'vitest'
import { formatList, formatWithText, quoteText, unquoteText } from './format-json'

it('quotes every character of Unicode as JSON.stringify does', () => {
  for (let first = 0; first <= 0x10_ffff; first += 0x400) {
    const codes = Array.from({ length: 0x400 }, (_, index) => first + index)
    const text = codes
      .map((code) => String.fromCodePoint(code))
      .join('')
      .toWellFormed()
    const quoted = quoteText(Buffer.from(text))
    expect(Buffer.from(quoted).toString()).toBe(JSON.stringify(text))
    expect(Buffer.from(unquoteText(quoted)).toString()).toBe(text)
  }
})

it.each([
  '',
  '"',
  '\\',
  '\u0000',
  'plain',
  '\uFEFFwith a mark',
  'a\r\nb\n',
  '\u001B[31mred\u001B[0m',
  '"'.repeat(1_000),
])('quotes %j', (text) => {
  expect(Buffer.from(quoteText(Buffer.from(text))).toString()).toBe(JSON.stringify(text))
})

it.each([-1, 0, 1, 64 * 1024, 200_000])('quotes a text of 64 kB and %i bytes', (more) => {
  const text = 'a "line"\n\u0001é🚀'.repeat(10_000).slice(0, (64 * 1024 + more) / 2)
  const bytes = Buffer.from(text.padEnd(64 * 1024 + more, '"').slice(0, 64 * 1024 + more))
  expect(Buffer.from(quoteText(bytes)).toString()).toBe(JSON.stringify(bytes.toString()))
})

it('puts a text into an object, and objects into a list', () => {
  const object = formatWithText({ name: 'a "log"' }, quoteText(Buffer.from('one\ntwo')))
  expect(JSON.parse(Buffer.concat(object).toString())).toEqual({ name: 'a "log"', text: 'one\ntwo' })
  const lists = [[], [object], [object, object]].map((values) =>
    JSON.parse(Buffer.concat(formatList(values)).toString()),
  )
  expect(lists.map((list) => list.length)).toEqual([0, 1, 2])
  expect(lists[2][1]).toEqual(lists[1][0])
})
