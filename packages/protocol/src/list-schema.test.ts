import { expect, it } from 'vitest'
import * as z from 'zod'
import { listOf, MAX_LIST_ISSUES } from './list-schema'
import { TextSchema } from './text-schema'

const MILLION = 1_000_000

it('says what is wrong with a list as z.array does', () => {
  const wrong = [1, 'a', 'b\0', { c: 1 }]
  expect(listOf(TextSchema).safeParse(wrong).error?.issues).toEqual(
    z.array(TextSchema).safeParse(wrong).error?.issues,
  )
  expect(listOf(TextSchema).safeParse('a').error?.issues).toEqual(
    z.array(TextSchema).safeParse('a').error?.issues,
  )
  expect(listOf(TextSchema).max(1).safeParse(['a', 'b']).error?.issues).toMatchObject([{ code: 'too_big' }])
  expect(z.toJSONSchema(listOf(z.string()).max(3))).toEqual(z.toJSONSchema(z.array(z.string()).max(3)))
})

it('gives back what its items make of themselves', () => {
  const numbers = listOf(z.string().transform(Number)).max(2)
  expect(numbers.parse(['1', '2'])).toEqual([1, 2])
  expect(
    z.object({ list: listOf(z.object({ a: z.string() })) }).parse({ list: [{ a: 'b', c: 'd' }] }),
  ).toEqual({
    list: [{ a: 'b' }],
  })
})

it.each([
  ['a wrong type', 1],
  ['a wrong text', '\0'],
])('stops at the first issues of a million items of %s', (_, item) => {
  const issues = { value: Array<unknown>(MILLION).fill(item), issues: [] }
  expect(
    listOf(listOf(TextSchema))._zod.run({ ...issues, value: [issues.value] }, { async: false }),
  ).toMatchObject({
    issues: { length: MAX_LIST_ISSUES },
  })
})
