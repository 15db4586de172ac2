import { expect, it } from 'vitest'
import { toPlainText } from './plain-text'

it('takes colours, links and cursor codes out of a log', () => {
  const text =
    '\u001b[1m\u001b[38;5;196mred\u001b[39m\u001b[22m \u001b]8;;https://x.example\u0007link\u001b]8;;\u0007\u001b[2K\u001b[1A!'
  expect(toPlainText(text)).toBe('red link!')
})

it('keeps tabs, line ends and everything that a reader should see', () => {
  expect(toPlainText('a\tb\r\nc\rd [31m] <b> é 🙂\u0000\u0007')).toBe('a\tb\nc\nd [31m] <b> é 🙂')
})
