import { expect, it } from 'vitest'
import { toPlainLine } from '@runledger/core/tools'
import { toPlainText } from './plain-text'
import { formatTable } from './table'

const HOSTILE = '\u001B[2J\u001B]8;;http://evil\u0007red\u009B31m\r\nnext\u0000line\t'

it('leaves nothing that a terminal obeys', () => {
  expect(toPlainLine(HOSTILE)).toBe('red next line')
  expect(toPlainText(HOSTILE)).toBe('red\nnext line')
  expect(formatTable(['id', 'why'], [['1', HOSTILE]])).toBe('id  why\n1   red next line')
})
