import { expect, it } from 'vitest'
import { LogWriter } from './log-writer'

const write = (lines: readonly string[]) => {
  const writer = new LogWriter()
  for (const line of lines) writer.push(line)
  return Buffer.from(writer.finish()).toString()
}

it('ends every line, without escape sequences and lone surrogates', () => {
  expect(write([])).toBe('')
  expect(write(['✓ one', '', '\u001B[31mred\u001B[39m', '\uD800 alone', '🚀'])).toBe(
    '✓ one\n\nred\n\uFFFD alone\n🚀\n',
  )
})

it('holds logs of any length, and none has anything of another', () => {
  const lengths = [0, 1, 64 * 1024 - 1, 64 * 1024, 3 * 1024 * 1024, 10]
  for (const character of ['a', 'é', '✓', '🚀'])
    for (const length of lengths) {
      const line = character.repeat(length)
      expect(write([line, 'end']) === `${line}\nend\n`).toBe(true)
    }
})

it('is not disturbed by another that is written at the same time', () => {
  const [one, other] = [new LogWriter(), new LogWriter()]
  one.push('one')
  other.push('other')
  one.push('more')
  expect([one, other].map((each) => Buffer.from(each.finish()).toString())).toEqual([
    'one\nmore\n',
    'other\n',
  ])
})
