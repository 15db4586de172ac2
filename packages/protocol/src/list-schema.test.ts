import { expect, it } from 'vitest'
import * as z from 'zod'
import { boundedRecord, listOf, MAX_LIST_ISSUES, type PacedContext } from './list-schema'
import { optional } from './optional'
import { LenientCreateRunRequestSchema } from './run'
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

it('does not look at what is in a list that is too long', () => {
  let looked = 0
  const item = z.string().refine(() => (looked += 1))
  expect(listOf(item).max(2).safeParse(['a', 'b', 'c']).error?.issues).toMatchObject([{ code: 'too_big' }])
  expect(looked).toBe(0)
})

it('stops at the first issues of a record, and gives back all that is right', () => {
  const record = boundedRecord(TextSchema, z.string().transform(Number))
  const names = Array.from({ length: 9_900 }, (_, index) => `name ${index}`)
  const of = (value: unknown) => Object.fromEntries(names.map((name) => [name, value]))
  expect(record.parse(of('1'))).toEqual(of(1))
  expect(record.safeParse(of(1)).error?.issues).toHaveLength(MAX_LIST_ISSUES)
  for (const wrong of [null, 'a', ['a'], { a: 1 }, { '\0': 'a' }])
    expect(record.safeParse(wrong).error?.issues).toEqual(
      z.record(TextSchema, z.string()).safeParse(wrong).error?.issues,
    )
  expect(z.toJSONSchema(boundedRecord(z.string(), z.string()))).toEqual(
    z.toJSONSchema(z.record(z.string(), z.string())),
  )
})

const pacedBy = (rest: () => Promise<void>): PacedContext => ({ async: true, pace: { isOver: true, rest } })

it('rests between the entries of a list, and says the same of it', async () => {
  const schema = z.object({
    phases: optional(listOf(z.object({ name: TextSchema, values: listOf(z.string().transform(Number)) }))),
    logs: optional(listOf(TextSchema)),
    outcome: TextSchema,
  })
  const phases = (last: unknown) => [
    ...Array.from({ length: 10 }, (_, index) => ({ name: `a${index}`, values: ['1', '2'] })),
    { name: 'b', values: ['3', last] },
  ]
  const logs = Array<string>(10).fill('a')
  for (const input of [
    { phases: phases('4'), logs, outcome: 'PASS' },
    { phases: phases(4), logs, outcome: 'PASS' },
    { phases: phases('4').slice(2), logs: undefined, outcome: 'PASS' },
  ]) {
    const expected = schema._zod.run({ value: input, issues: [] }, { async: false })
    let rests = 0
    const paced = pacedBy(async () => void (rests += 1))
    expect(await schema._zod.run({ value: input, issues: [] }, paced)).toEqual(expected)
    expect(rests).toBe(input.phases.length + (input.logs?.length ?? 0))
  }
})

it('stops at the first issues of a long list also with rests', async () => {
  const value = Array<unknown>(MILLION).fill(1)
  const checked = await listOf(TextSchema)._zod.run(
    { value, issues: [] },
    pacedBy(() => Promise.resolve()),
  )
  expect(checked.issues).toHaveLength(MAX_LIST_ISSUES)
})

it('takes as many declared attachments and log entries as make sense', () => {
  const issuesOf = (change: object) =>
    LenientCreateRunRequestSchema.safeParse(change).error?.issues.filter(({ code }) => code === 'too_big')
  const attachments = (count: number) => Array<string>(count).fill('a')
  expect(issuesOf({ attachments: attachments(10_000) })).toEqual([])
  expect(issuesOf({ attachments: attachments(10_001) })).toMatchObject([{ path: ['attachments'] }])
  expect(issuesOf({ logs: Array<number>(100_001).fill(1) })).toMatchObject([{ path: ['logs'] }])
})
