import { expect, it } from 'vitest'
import { readOutsideTexts } from './outside-texts'

async function readPlaces(json: string): Promise<string> {
  const bytes = new TextEncoder().encode(json)
  let found = ''
  await readOutsideTexts(bytes, (byte) => (found += String.fromCodePoint(byte)))
  return found
}

it.each([
  ['{"a": [1, "b,c"]}', '{: [1, ]}'],
  [String.raw`["a\"b", "\\", "\\\"]", 2]`, '[, , , 2]'],
  [String.raw`["\\\\"]`, '[]'],
  [`["${'x'.repeat(200_000)}\\\\", "${String.raw`\"`.repeat(100_000)}", 3]`, '[, , 3]'],
  ['["it does not end', '['],
  [String.raw`["it ends with a backslash\ `.trimEnd(), '['],
])('reads the bytes outside of texts', async (json, outside) => {
  expect(await readPlaces(json)).toBe(outside)
})

it('rests while it reads a long text of escaped quotes', async () => {
  let rests = 0
  const pace = { isOver: true, rest: () => Promise.resolve(void (rests += 1)) }
  const json = new TextEncoder().encode(`["${String.raw`\"`.repeat(200_000)}"]`)
  await readOutsideTexts(json, () => undefined, { pace })
  expect(rests).toBeGreaterThan(4)
})
