import { formatStepName, UniqueNames } from '@runledger/core/tools'
import { expect, it } from 'vitest'
import { END, namePattern, START } from './name-pattern'

function isMatched(name: string, titles: readonly string[], separator = ' '): boolean {
  return new RegExp(`^${START}(?:${namePattern(name)})${END}$`).test(titles.join(separator))
}

it.each([
  [['adds up']],
  [['costs $5 (a|b) [x]* \\d ^.+? {2}']],
  [['a', 'b', 'c']],
  [['one › other', ' › ']],
  [['  padded\n\ttitle ', 'last \u00a0 ']],
  [['\u001b[31mred\u001b[39m', 'test']],
  [['', '']],
  [['describe', '']],
  [['half of a pair: \ud83d', 'x']],
  [['NUL \0 and \u0007 bell']],
  [['x'.repeat(600), 'cut']],
  [['counted (2)']],
  [['***']],
])('matches the titles %j by their name on record, also as Vitest 5 joins them', (titles) => {
  expect(isMatched(formatStepName(titles), titles)).toBe(true)
  expect(isMatched(formatStepName(titles), titles, ' > ')).toBe(true)
})

it('matches tests of equal names, which the record numbers', () => {
  const names = new UniqueNames()
  const recorded = [['same'], ['same'], ['same (2)']].map((titles) => names.take(formatStepName(titles)))
  expect(recorded).toEqual(['same', 'same (2)', 'same (2) (2)'])
  expect(isMatched('same (2)', ['same'])).toBe(true)
  expect(isMatched('same (2) (2)', ['same (2)'])).toBe(true)
})

it('has no character that a shell obeys between quotes', () => {
  const title = 'costs $HOME "a" & `b` 5 % !c'
  expect(namePattern(title)).not.toMatch(/["$%`!]/)
  expect(isMatched(title, [title])).toBe(true)
})

it('matches a name in which a secret is masked', () => {
  expect(isMatched('logs in with *** twice', ['logs in with hunter2 twice'])).toBe(true)
})

it('matches no other names', () => {
  expect(isMatched('half', ['half more'])).toBe(false)
  expect(isMatched('half', ['not half'])).toBe(false)
  expect(isMatched('adds (2)', ['adds (3)'])).toBe(false)
  expect(isMatched('a › b', ['a', 'bb'])).toBe(false)
  expect(isMatched('a.b', ['axb'])).toBe(false)
})
