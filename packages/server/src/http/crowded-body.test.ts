import { expect, it } from 'vitest'
import { MAX_CONTAINERS, MAX_NAMES, MAX_VALUES, refuseCrowdedBody } from './bodies'

const TOO_LARGE = expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' }) as Error

it.each([
  ['nested lists', `${'['.repeat(MAX_CONTAINERS + 1)}${']'.repeat(MAX_CONTAINERS + 1)}`],
  ['empty objects', `[${'{},'.repeat(MAX_CONTAINERS)}{}]`],
  ['names', `{"a":[${' '.repeat(300_000)}],"b":{"c":{}${',"d":1'.repeat(MAX_NAMES)}}}`],
  ['values', `[${'1,'.repeat(MAX_VALUES + 1)}1]`],
])('refuses too many %s', (_name, body) => {
  expect(() => refuseCrowdedBody(Buffer.from(body))).toThrow(TOO_LARGE)
})

it('takes as many as that, and any number of them within a text', () => {
  const text = JSON.stringify({ text: `"\\${'[{,'.repeat(MAX_VALUES + 1)}"`, backslash: '\\' })
  const most = `[${'{},'.repeat(MAX_CONTAINERS - 2)}{}]`
  for (const body of [text, most, '"never ended', `"${'\\'.repeat(2_000_001)}`])
    expect(() => refuseCrowdedBody(Buffer.from(body))).not.toThrow()
})
