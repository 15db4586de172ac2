import { expect, it } from 'vitest'
import { quoteForShell } from './quote-for-shell'

it.each([
  ['trace.zip', 'trace.zip'],
  ['a b.zip', "'a b.zip'"],
  ['$(touch x);`y`&z.zip', "'$(touch x);`y`&z.zip'"],
  ["it's.zip", String.raw`'it'\''s.zip'`],
  ['--output=x.zip', "'./--output=x.zip'"],
  ['a\nrm x.zip', "'arm x.zip'"],
  ['a\u202Epiz.zip', 'apiz.zip'],
  ['http://host/downloads/x?a=1&b=2', "'http://host/downloads/x?a=1&b=2'"],
])('a shell takes %j as one word', (word, quoted) => {
  expect(quoteForShell(word)).toBe(quoted)
})
