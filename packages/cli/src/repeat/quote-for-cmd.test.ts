import { expect, it } from 'vitest'
import { quoteForCmd } from './quote-for-cmd'

it.each([
  ['npx', 'npx'],
  ['--reporter', '--reporter'],
  ['', '""'],
  ['adds up', '"adds up"'],
  ['a & b | c > d ^ (e)', '"a & b | c > d ^ (e)"'],
  ['node_modules/.bin/vitest', '"node_modules/.bin/vitest"'],
  ['C:\\Program Files\\', '"C:\\Program Files\\\\"'],
  ['says "no" & goes', '"says ""no"" & goes"'],
  ['ends in \\"', '"ends in \\\\"""'],
  ['100 % of %PATH%', '"100 %%cd:~,% of %%cd:~,%PATH%%cd:~,%"'],
])('quotes %s', (argument, quoted) => {
  expect(quoteForCmd(argument)).toBe(quoted)
})
