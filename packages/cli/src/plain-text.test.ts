import { expect, it } from 'vitest'
import { toPlainLine } from '@runledger/core/tools'
import { writeJson } from './output'
import { toPlainText, toSafeLine } from './plain-text'
import { formatTable } from './table'

const HOSTILE = '\u001B[2J\u202E\u001B]8;;http://evil\u0007red\u009B31m\r\nnext\u0000line\t'

it('leaves nothing that a terminal obeys', () => {
  expect(toPlainLine(HOSTILE)).toBe('red next line')
  expect(toPlainText(HOSTILE)).toBe('red\nnext line')
  expect(toPlainText(`  if (a)\r\n\t${HOSTILE}`)).toBe('  if (a)\n\tred\nnext line')
  expect(formatTable(['id', 'why'], [['1', HOSTILE]])).toBe('id  why\n1   red next line')
})

it('leaves no command of a CI in a safe line', () => {
  expect(toSafeLine('a\n##[error] ###vso[b]')).toBe('a # #[error] # # #vso[b]')
})

it('leaves nothing in JSON either, which still says the same', () => {
  for (const isIndented of [false, true]) {
    let json = ''
    writeJson(
      { out: (text) => (json = text), err: () => undefined },
      { url: HOSTILE, list: ['é✓🚀'] },
      { isIndented },
    )
    expect(json).not.toMatch(/(?!\n)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/u)
    expect(json).toContain('é✓🚀')
    expect(JSON.parse(json)).toEqual({ url: HOSTILE, list: ['é✓🚀'] })
  }
})
