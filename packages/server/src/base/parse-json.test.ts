import { expect, it } from 'vitest'
import { MAX_CONTAINERS, MAX_NAMES, MAX_VALUES, parseJson } from './parse-json'

const PIECE = 70_000

const parse = (text: string) => parseJson(Buffer.from(text))
const refusal = (code: string) => expect.objectContaining({ code }) as Error

it.each([
  ['nested lists', `${'['.repeat(MAX_CONTAINERS + 1)}${']'.repeat(MAX_CONTAINERS + 1)}`],
  ['empty objects', `[${'{},'.repeat(MAX_CONTAINERS)}{}]`],
  ['names', `{"a":[${' '.repeat(300_000)}],"b":{"c":{}${',"d":1'.repeat(MAX_NAMES)}}}`],
  ['names that are parsed a piece at a time', `{"c":{}${`,"d":"${'e'.repeat(100)}"`.repeat(MAX_NAMES)}}`],
  ['values', `[${'1,'.repeat(MAX_VALUES + 1)}1]`],
])('refuses too many %s', async (_name, body) => {
  await expect(parse(body)).rejects.toThrow(refusal('PAYLOAD_TOO_LARGE'))
})

it('counts first, so that nothing is parsed of what is refused', async () => {
  const crowded = `[${'1,'.repeat(MAX_VALUES + 1)}1]`
  await expect(parse(`[${'x,'.repeat(PIECE)}${crowded}]`)).rejects.toThrow(refusal('PAYLOAD_TOO_LARGE'))
})

it('takes no commas outside of an object for names', async () => {
  await expect(parse('{"a":1},'.repeat(MAX_NAMES * 4))).rejects.toThrow(refusal('PARSE_ERROR'))
})

it('takes as many as that, and any number of them within a text', async () => {
  const text = { text: `"\\${'[{,'.repeat(MAX_VALUES + 1)}"`, backslash: '\\' }
  expect(await parse(JSON.stringify(text))).toEqual(text)
  expect(await parse(`[${'{},'.repeat(MAX_CONTAINERS - 2)}{}]`)).toHaveLength(MAX_CONTAINERS - 1)
  for (const endless of [`"never ended${' '.repeat(300_000)}`, `"${'\\'.repeat(2_000_001)}`])
    await expect(parse(endless)).rejects.toThrow(refusal('PARSE_ERROR'))
})

const words = (count: number) => Array.from({ length: count }, (_, index) => `"ä \\" ${index} \u2028 ] }"`)

const large: [what: string, text: string][] = [
  ['a list', `[${words(20_000).join(' ,\n')}]`],
  [
    'lists in lists',
    `[1,[[${words(9_000).join()}],[],{"a":[${words(9_000).join()}]}],${words(9_000).join()}]`,
  ],
  [
    'objects of many names',
    `{"a":{${words(9_000)
      .map((word) => `${word}:{"b":[${word}]}`)
      .join()}},"c":1}`,
  ],
  ['names that come twice', `{"a":[${words(9_000).join()}],"b":1,"a":[2],"b":[${words(9_000).join()}]}`],
  [
    'the name __proto__',
    `{"__proto__":[${words(20_000).join()}],"a":{"__proto__":[${words(9_000).join()}]}}`,
  ],
  ['a byte order mark', `\uFEFF{"a":[${words(20_000).join()}]}`],
  ['white space', `${' '.repeat(PIECE)}[${' '.repeat(PIECE)}1${' '.repeat(PIECE)},2${' '.repeat(PIECE)}]`],
  ['a text', JSON.stringify('[,]'.repeat(200_000))],
]

it.each(large)('gives what JSON.parse gives of %s, large', async (_what, text) => {
  const parsed = JSON.stringify(await parse(text))
  expect(parsed === JSON.stringify(JSON.parse(text.replace('\uFEFF', '')))).toBe(true)
})

it.each([
  ['no value between commas', (half: string) => `[${half},,${half}]`],
  ['no value at the end', (half: string) => `[${half},${half},]`],
  ['no value at the end of an object', (half: string) => `{"a":[${half}],"b":[${half}],}`],
  ['a list closed as an object', (half: string) => `[${half},${half}}`],
  ['an object closed as a list', (half: string) => `{"a":[${half}],"b":[${half}],"c":1]`],
  ['no end', (half: string) => `{"a":[${half}],"b":[${half}]`],
  ['two ends', (half: string) => `{"a":[${half},${half}]]}`],
  ['two values', (half: string) => `[${half},${half}][${half}]`],
  ['a list for a name', (half: string) => `{[${half}]:1,"a":[${half}]}`],
  ['a name without a value', (half: string) => `{"a":[${half},${half}],"b"}`],
  ['a value in a list that has a name', (half: string) => `[${half},"a":1,${half}]`],
  ['bytes that are not UTF-8', (half: string) => Buffer.from(`["\u00ff",${half},${half}]`, 'latin1')],
])('refuses a large body with %s', async (_what, write) => {
  const body = write(words(9_000).join())
  await expect(parseJson(Buffer.from(body))).rejects.toThrow(refusal('PARSE_ERROR'))
})

it('refuses what JSON.parse refuses, wherever a large body is broken', async () => {
  const text = `{"a":[${words(3_000)
    .map((word) => `{"b":[${word},[1.5,null]],"c":{}}`)
    .join()}],"d":{"e":[${words(5_000).join()}]}}`
  let seed = 1
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below
  for (let times = 0; times < 60; times += 1) {
    const at = random(text.length)
    const broken = text.slice(0, at) + ('[]{},:"1 '[random(9)] ?? '') + text.slice(at + random(2))
    const isValid = await parse(broken).then(
      () => true,
      () => false,
    )
    expect(isValid, `with ${JSON.stringify(broken.slice(at - 20, at + 20))} at ${at}`).toBe(isJson(broken))
  }
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

it('lets others have their turn while it parses', async () => {
  let turns = 0
  const timer = setInterval(() => (turns += 1), 1)
  await parse(`[${words(300_000).join()}]`)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})
